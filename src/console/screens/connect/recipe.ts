/** A recipe to copy, and the values that are filled into it. */
import type { RequestPlace } from '../../data/request-place.ts';

/** The values that are filled into a recipe. */
export interface RecipeValues {
  /** URL of the API, without a trailing slash. */
  readonly url: string;
  /** URL of the control API, without a trailing slash. */
  readonly control: string;
  readonly key: string;
  readonly project: string;
  /** How requests import jobs, below the URL. Default: as without a profile. */
  readonly place?: RequestPlace;
}

export const defaultPlace: RequestPlace = {
  method: 'POST',
  target: '/async/projects/{projectId}/jobs',
};

export interface Recipe {
  readonly name: string;
  readonly title: string;
  /** Default name of the file, or where to paste the text. */
  readonly file: string;
  readonly about: string;
  readonly text: (values: RecipeValues) => string;
}

/** Quotes a text as JSON, which is also a valid string in JavaScript, Java, Python and YAML. */
export function quote(text: string): string {
  return JSON.stringify(text);
}

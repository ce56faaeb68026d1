/** Reads the texts of `broken/` and `warned/`: scenarios, each with the approved report of their mistakes or warnings. */
import { readCases } from './golden-case.ts';

export interface TextCase {
  readonly file: string;
  /** The name, and whether the text is written as a JSON string because of its characters. */
  readonly heading: string;
  readonly name: string;
  readonly text: string;
}

/** Reads the cases of a folder: a heading, the text, a line `=>`, the report. */
export function readTexts(folder: string): readonly TextCase[] {
  return readCases(new URL(`./${folder}/`, import.meta.url)).map(({ file, name: heading, text }) => {
    const source = text.slice(0, text.indexOf('\n=>\n') + 1);
    const name = heading.replace(', as JSON', '');
    return { file, heading, name, text: name === heading ? source : JSON.parse(source) };
  });
}

/** Writes a case with its report. */
export function toCaseText({ heading, name, text }: TextCase, report: string): string {
  return `== ${heading}\n${name === heading ? text : `${toJson(text)}\n`}=>\n${report}`;
}

/** Writes a text as JSON in ASCII, so that an editor changes none of its characters. */
function toJson(text: string): string {
  return JSON.stringify(text).replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

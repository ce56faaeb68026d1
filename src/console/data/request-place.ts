/** Finds where an operation is, and where its requests have the project, for examples that the profile changes. */
import { splitPlace } from '../../openapi/profile/places.ts';
import type { Schemas } from './schemas.ts';

export interface RequestPlace {
  readonly method: string;
  /** Path and query; `{projectId}` stands for the project. */
  readonly target: string;
  /** Name of the header that has the project, if one has. */
  readonly header?: string;
  /** Name of the field of the body that has the project, if one has. */
  readonly field?: string;
}

type CatalogPlace = Pick<Schemas['CatalogOperation'], 'method' | 'path' | 'identifiers'>;

export function toRequestPlace({ method, path, identifiers }: CatalogPlace): RequestPlace {
  const [kind, name] = splitPlace(identifiers?.['projectId'] ?? 'path', 'projectId');
  return {
    method,
    target: kind === 'query' ? `${path}?${encodeURIComponent(name)}={projectId}` : path,
    ...(kind === 'header' && { header: name }),
    ...(kind === 'body' && { field: name }),
  };
}

/** Returns the target with a text in place of the project. */
function fillTarget({ target }: RequestPlace, project: string): string {
  return target.replace('{projectId}', () => project);
}

/** Quotes a text for the shell. */
function inShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns a curl command with the default key, on one line. `url`: that of the sandbox. */
export function toCurlExample(url: string, place: RequestPlace, projectId: string, body: object): string {
  const { method, header, field } = place;
  const target = url + fillTarget(place, encodeURIComponent(projectId));
  const headers = { apikey: 'sandbox-key', ...(header && { [header]: projectId }), 'content-type': 'application/json' };
  const words = Object.entries(headers).map(([name, value]) => `-H ${inShell(`${name}: ${value}`)}`);
  const start = `curl -i ${method === 'POST' ? '' : `-X ${method} `}${/[?']/.test(target) ? inShell(target) : target}`;
  return `${start} ${words.join(' ')} -d ${inShell(JSON.stringify({ ...(field && { [field]: projectId }), ...body }))}`;
}

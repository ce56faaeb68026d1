/** Redirects the paths under which clients look for the document of an API. */
import type { Reply } from './reply.ts';

const document = '/_sandbox/openapi.json';
const reference = '/_sandbox/#/reference';

const targets: Readonly<Record<string, string>> = {
  '/openapi.json': document,
  '/openapi.yaml': document,
  '/swagger.json': document,
  '/docs': reference,
  '/swagger': reference,
};

/** Returns the redirect for such a path, or undefined. Call it only if no operation has the path. */
export function toDocumentRedirect(method: string, url: string): Reply | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const path = url.split('?')[0]?.replace(/(?<=.)\/$/, '') ?? '';
  const location = Object.hasOwn(targets, path) ? targets[path] : undefined;
  return location === undefined ? undefined : { status: 302, headers: { location }, body: undefined };
}

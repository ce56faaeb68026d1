/** Creates requests of an operation, with each identifier in its place. */
import type { RoutedOperation } from './router.ts';

/** A request without key and content type. */
export interface BuiltRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** Creates a request; identifiers without a value are empty, or missing in the body. */
export function buildRequest(
  { method, path, identifiers }: Pick<RoutedOperation, 'method' | 'path' | 'identifiers'>,
  params: Readonly<Record<string, string>>,
  body: object,
): BuiltRequest {
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(params[name] ?? ''));
  if (!identifiers) return { method, url: filled, headers: {}, body };
  const { query, header, body: fields } = identifiers;
  const pairs = query.map(([outer, name]) => `${encodeURIComponent(outer)}=${encodeURIComponent(params[name] ?? '')}`);
  const known = fields.flatMap(([outer, name]) => (params[name] === undefined ? [] : [[outer, params[name]] as const]));
  return {
    method,
    url: pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`,
    headers: Object.fromEntries(header.map(([outer, name]) => [outer, params[name] ?? ''])),
    // A text has no room for them.
    body: known.length === 0 || typeof body !== 'object' ? body : { ...Object.fromEntries(known), ...body },
  };
}

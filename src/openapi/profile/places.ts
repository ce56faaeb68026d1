/** Finds the place of each identifier in an operation's requests, and the path that remains. */
/** The identifiers that an operation may have. */
export const identifierNames = ['projectId', 'subProjectId', 'jobId', 'orderId', 'username'] as const;
export type IdentifierName = (typeof identifierNames)[number];

/** Where requests have an identifier. Without a name, its query parameter or body field has that of the identifier. */
export type IdentifierPlace = 'path' | 'query' | 'body' | `${'query' | 'body' | 'header'}:${string}`;

export type IdentifierPlaces = Readonly<Partial<Record<IdentifierName, IdentifierPlace>>>;

/** The part of an operation's override that says where its identifiers are. */
interface PlaceOverride {
  readonly path?: string;
  readonly identifiers?: IdentifierPlaces;
}

/** The identifiers outside of the path, by name: `query:NAME`, `header:NAME` with a lower-case name, `body:NAME`, or `body`. */
export type MovedIdentifiers = Readonly<Record<string, string>>;

/** Where an operation is, and where its requests have their identifiers. */
export interface OperationPlace {
  /** The path template, with the identifiers that are still in it. */
  readonly path: string;
  readonly moved: MovedIdentifiers;
}

/** Returns the names of a path template's parameters, in their order; includes those of its query. */
export function parameterNames(template: string): readonly string[] {
  return [...template.matchAll(/\{([^}]*)\}/g)].map((match) => match[1] ?? '');
}

/** Returns the place that a profile sets for an identifier of an operation. */
export function placeOf(
  name: string,
  { identifiers: own = {} }: PlaceOverride,
  { identifiers }: { readonly identifiers: IdentifierPlaces },
): IdentifierPlace {
  return own[name as IdentifierName] ?? identifiers[name as IdentifierName] ?? 'path';
}

/** Applies a profile to the path of an operation. An identifier that leaves the path takes its segment along. */
export function toPlace(
  sourcePath: string,
  override: PlaceOverride,
  profile: { readonly basePath: string; readonly identifiers: IdentifierPlaces },
): OperationPlace {
  const [template = '', query = ''] = (override.path ?? sourcePath).split('?');
  const moved: Record<string, string> = {};
  for (const [outer, value] of new URLSearchParams(query)) moved[value.slice(1, -1)] = `query:${outer}`;
  for (const name of parameterNames(sourcePath)) {
    const place = placeOf(name, override, profile);
    if (place !== 'path') moved[name] ??= toMovedPlace(name, place);
  }
  const isGone = (segment: string): boolean => /^\{.*\}$/.test(segment) && Object.hasOwn(moved, segment.slice(1, -1));
  const segments = template.split('/').filter((segment) => override.path !== undefined || !isGone(segment));
  return { path: profile.basePath + segments.join('/'), moved };
}

function toMovedPlace(name: string, place: Exclude<IdentifierPlace, 'path'>): string {
  if (place === 'query') return `query:${name}`;
  return place.startsWith('header:') ? place.toLowerCase() : place;
}

/** Splits a place such as `header:x-project` at its first colon. Without a name, it has that of the identifier. */
export function splitPlace(place: string, identifier: string): readonly [kind: string, name: string] {
  const colon = place.indexOf(':');
  return colon < 0 ? [place, identifier] : [place.slice(0, colon), place.slice(colon + 1)];
}

/** Returns a text that is equal for two operations if a request could be for both. */
export function toRouteKey(method: string, path: string): string {
  return `${method.toUpperCase()} ${path.replace(/\{[^}]*\}/g, '{}').replace(/\/+$/, '')}`;
}

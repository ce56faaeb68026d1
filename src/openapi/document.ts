/** Prepares an OpenAPI document: applies the profile before it is served, and closes objects before it is compiled. */
import type { Json } from '../lib/json.ts';
import { catalogue, type ProblemKind } from '../lib/problem.ts';
import { type ApiDocument, bodySchema, eachOperation, resolve } from './api-document.ts';
import { setMode } from './modes.ts';
import { dropUnreferenced, moveIdentifiers, referencesOf } from './profile/move-identifiers.ts';
import { toPlace, toRouteKey, toSharedMessage } from './profile/places.ts';
import { type JobVariant, type OperationOverride, type Profile, shippedProfile } from './profile/profile.ts';
import { showCallbacks } from './templates/callbacks.ts';
import { showErrorBodies, showResponseHeaders } from './templates/error-bodies.ts';
import { showResults } from './templates/results.ts';
import { freeFormKeyword } from './validate.ts';

export { type ApiDocument, bodySchema, eachOperation, resolve } from './api-document.ts';

/**
 * Returns a copy of the document with the profile's paths, methods, statuses, modes, limits and required fields.
 * @throws Error if two operations have the same method and path
 */
export function applyProfile(document: ApiDocument, profile: Profile): ApiDocument {
  // The other parts of the profile change responses and examples in place, which the copy shares with its source.
  const source = profile === shippedProfile ? document : structuredClone(document);
  const served = withoutOtherChoices(source, profile) as ApiDocument;
  const paths: ApiDocument['paths'] = {};
  const taken = new Map<string, string>();
  const referencesBefore = movesIdentifiers(profile) ? referencesOf(served) : undefined;
  for (const { path, method, operation } of eachOperation(served)) {
    const id = String(operation['operationId']);
    const override = profile.operations[id] ?? {};
    const shared = (served.paths[path]?.['parameters'] ?? []) as unknown as readonly Json[];
    operation['parameters'] = [...shared, ...((operation['parameters'] ?? []) as readonly Json[])];
    const place = toPlace(path, override, profile);
    moveIdentifiers(operation, place.moved, served);
    if (override.mode) setMode(operation, override.mode);
    operation['responses'] = toResponses(operation, override, profile, served);
    const target = override.method?.toLowerCase() ?? method;
    const key = toRouteKey(target, place.path);
    const other = taken.get(key);
    if (other !== undefined) throw new Error(toSharedMessage(id, other, target, place.path));
    taken.set(key, id);
    const item = paths[place.path] ?? {};
    paths[place.path] = item;
    item[target] = operation;
  }
  served.paths = paths;
  if (referencesBefore) dropUnreferenced(served, referencesBefore);
  requireFields(served, profile);
  defaultUserType(served, profile);
  showResults(served, profile);
  showErrorBodies(served, profile);
  showCallbacks(served, profile);
  showResponseHeaders(served, profile);
  return served;
}

/** Replaces the default type of a registered user by the profile's, if it has one. */
function defaultUserType(document: ApiDocument, { users: { withoutType } }: Profile): void {
  if (withoutType === 'reject') return;
  const registration = [...eachOperation(document)].find(
    ({ operation }) => operation['operationId'] === 'registerUser',
  );
  const schema = resolve(document, bodySchema(registration?.operation ?? {}) ?? {});
  const { type = {} } = (schema['properties'] ?? {}) as Record<string, Json>;
  type['default'] = withoutType;
  // It rejects a body without a type.
  delete schema['else'];
}

function movesIdentifiers({ operations, identifiers }: Profile): boolean {
  const all = [...Object.values(operations).map((one) => one.identifiers ?? {}), identifiers];
  return all.some((places) => Object.values(places).some((place) => place !== 'path'));
}

/**
 * Returns the responses with the profile's statuses. If two errors share a status, their responses are combined. If one
 * status had two errors (a missing and an unknown key), its response is copied to both statuses.
 */
function toResponses(operation: Json, override: OperationOverride, profile: Profile, document: ApiDocument): Json {
  const statusesOf = new Map<string, string[]>();
  for (const [kind, status] of Object.entries(profile.errors)) {
    const defaultStatus = String(catalogue[kind as ProblemKind]);
    statusesOf.set(defaultStatus, [...(statusesOf.get(defaultStatus) ?? []), String(status)]);
  }
  const responses: Json = {};
  for (const [status, response] of Object.entries(operation['responses'] as Json)) {
    const changed = status.startsWith('2') ? [String(override.status ?? status)] : (statusesOf.get(status) ?? [status]);
    for (const one of new Set(changed)) {
      const other = responses[one];
      responses[one] = other
        ? combine(resolve(document, other as Json), resolve(document, response as Json))
        : response;
    }
  }
  return responses;
}

/** Returns a response that has the descriptions, headers and examples of both. */
function combine(first: Json, second: Json): Json {
  const [media, other] = [first, second].map(({ content }) => (content as Record<string, Json>)['application/json']);
  return {
    ...first,
    description: `${String(first['description'])} Or: ${String(second['description'])}`,
    headers: { ...(second['headers'] as Json), ...(first['headers'] as Json) },
    content: {
      'application/json': {
        ...media,
        examples: { ...(other?.['examples'] as Json), ...(media?.['examples'] as Json) },
      },
    },
  };
}

/** Mark of a list whose maximum length is the profile's. */
const limitMark = 'limits.entries';

/** Keys whose values the copy shares with the source: they are half of the document, and only profiles change them. */
const sharedKeys = new Set(['responses', 'headers', 'examples', 'value']);

/**
 * Returns a copy without the parts marked `x-profile: KEY=VALUE` whose value differs from the profile's, and with the
 * profile's maximum for lists that are marked `x-profile: limits.entries`.
 */
function withoutOtherChoices(value: unknown, profile: Profile): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    return value.filter((item) => !isOtherChoice(item, profile)).map((item) => withoutOtherChoices(item, profile));
  }
  // Every start copies the document: this loop takes a third of the time of Object.entries.
  const copy: Json = {};
  for (const key in value) {
    const inner = (value as Json)[key];
    copy[key] = profile === shippedProfile && sharedKeys.has(key) ? inner : withoutOtherChoices(inner, profile);
  }
  if (copy['x-required-if']) copy['required'] = requiredNames(copy, profile);
  if (copy['x-profile'] === limitMark) copy['maxItems'] = profile.limits.entries;
  return copy;
}

function isOtherChoice(value: unknown, profile: Profile): boolean {
  const mark: unknown = typeof value === 'object' && value !== null ? (value as Json)['x-profile'] : undefined;
  return typeof mark === 'string' && mark.includes('=') && !isChosen(mark, profile);
}

function isChosen(choice: string, { users }: Profile): boolean {
  return choice === `users.attendantAccess=${users.attendantAccess}`;
}

/** Returns the required fields of a schema whose `x-required-if` lets the profile decide about some of them. */
function requiredNames({ required, 'x-required-if': choices }: Json, profile: Profile): readonly string[] {
  const isRequired = (name: string): boolean => {
    const choice = (choices as Json)[name];
    return choice === undefined || isChosen(String(choice), profile);
  };
  return (required as readonly string[]).filter(isRequired);
}

/** Returns the statuses that a job and an order may have. */
export function statusesOf(document: ApiDocument): Readonly<Record<'jobs' | 'orders', readonly string[]>> {
  const of = (operationId: string): readonly string[] => {
    const found = [...eachOperation(document)].find(({ operation }) => operation['operationId'] === operationId);
    const body = resolve(document, bodySchema(found?.operation ?? {}) ?? {});
    const status = (body['properties'] as Record<string, Json> | undefined)?.['status'] ?? {};
    return (resolve(document, status)['enum'] ?? []) as readonly string[];
  };
  return { jobs: of('syncCreateJob'), orders: of('syncUpdateOrder') };
}

const lists = ['jobs', 'orders', 'routes'] as const;

/** Returns the variant of the jobs in an operation's list. This one creates jobs that have the fields of an update. */
function jobVariantOf({ operationId }: Json): JobVariant {
  return String(operationId).includes('Update') || operationId === 'syncCreateJobsInSubproject' ? 'update' : 'create';
}

/** Sets the profile's required fields in the schemas of all list entries. */
function requireFields(document: ApiDocument, { required }: Profile): void {
  for (const { operation } of eachOperation(document)) {
    const body = resolve(document, bodySchema(operation) ?? {});
    for (const list of lists) {
      const entry = itemsOf(document, body, list);
      if (!entry) continue;
      const fields = list === 'jobs' ? required.jobs[jobVariantOf(operation)] : required[list];
      entry['required'] = [...fields];
      const job = itemsOf(document, entry, 'jobs');
      if (job) job['required'] = [...required.jobs.inRoute];
    }
  }
}

/** Returns the schema of the items of a list in an object, if the object has the list. */
function itemsOf(document: ApiDocument, object: Json, list: string): Json | undefined {
  const properties = (object['properties'] ?? {}) as Record<string, Json>;
  const items = properties[list]?.['items'] as Json | undefined;
  return items && resolve(document, items);
}

/** Value of `x-timestamp` where a date alone is accepted with a warning; the format that replaces `date-time` there. */
export const dateAllowed = 'date-allowed';

/** Keywords whose schemas state conditions or values, and do not define fields. */
const conditions = new Set(['if', 'then', 'else', 'not', 'example', 'examples', 'enum', 'const', 'default']);

/**
 * Returns a copy of a part of the document whose objects reject undefined fields, so that one pass finds both mistakes
 * and unknown fields. Use it only for compiling: the served document says, as the API does, that unknown fields are
 * accepted. Replaces every reference by a copy of its schema: for a shared schema, Ajv generates a function and builds
 * a path at each call, which takes several times as long as the checks.
 */
export function closeObjects<Part>(value: Part, document: ApiDocument): Part;
export function closeObjects(value: unknown, document: ApiDocument): unknown {
  if (Array.isArray(value)) return value.map((item) => closeObjects(item, document));
  if (typeof value !== 'object' || value === null) return value;
  const copy: Json = {};
  for (const [key, inner] of Object.entries(mergeTypes(withoutUnions(followReference(value as Json, document))))) {
    copy[key] = conditions.has(key) ? inner : closeObjects(inner, document);
  }
  if (copy['x-timestamp'] === dateAllowed) copy['format'] = dateAllowed;
  if (copy['type'] === 'object' || (Array.isArray(copy['type']) && copy['type'].includes('object'))) {
    if (copy['properties'] && copy['additionalProperties'] === undefined) copy['additionalProperties'] = false;
    if (!copy['properties']) copy[freeFormKeyword] = true;
  }
  return copy;
}

/** Returns what a reference refers to, with the keywords beside the reference, which an overlay may have added. */
function followReference(value: Json, document: ApiDocument): Json {
  const { $ref, ...beside } = value;
  return $ref === undefined ? value : { ...resolve(document, value), ...beside };
}

/**
 * Returns a schema without what only generators need: a union of types, whose rules `if` and `then` state with better
 * explanations; the meaning of each item; the maximum length of a list, whose entries are counted before.
 */
function withoutUnions(schema: Json): Json {
  const { discriminator, prefixItems: _, ...rest } = schema;
  if (discriminator !== undefined) delete rest['oneOf'];
  if (rest['x-profile'] === limitMark) delete rest['maxItems'];
  return rest;
}

/** Joins `anyOf` of different types to one schema with a list of types, so that a wrong type is one mistake. */
function mergeTypes({ anyOf, ...schema }: Json): Json {
  if (!Array.isArray(anyOf)) return anyOf === undefined ? schema : { ...schema, anyOf };
  const types: readonly unknown[] = anyOf.map((one: Json) => one['type']);
  const isJoinable = types.every((type) => typeof type === 'string') && new Set(types).size === types.length;
  return isJoinable ? { ...schema, ...Object.assign({}, ...anyOf), type: types } : { ...schema, anyOf };
}

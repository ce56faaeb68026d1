/** Applies the profile to an OpenAPI document before it is served. */
import type { Json } from '../lib/json.ts';
import { type ApiDocument, bodySchema, type EntryList, eachEntryList, eachOperation, resolve } from './api-document.ts';
import { setMode, toAcceptedResult } from './modes.ts';
import { dropUnreferenced, moveIdentifiers, referencesOf } from './profile/move-identifiers.ts';
import { toPlace } from './profile/places.ts';
import { type JobVariant, type OperationOverride, type Profile, shippedProfile } from './profile/profile.ts';
import { toResponses } from './responses.ts';
import { showCallbacks } from './templates/callbacks.ts';
import { showErrorBodies, showErrorCodes, showExamples, showResponseHeaders } from './templates/error-bodies.ts';
import { showResults } from './templates/results.ts';
import { showRules } from './templates/rules.ts';

/** Returns a copy of the document with the profile's paths, methods, statuses, modes, limits and required fields. */
export function applyProfile(document: ApiDocument, profile: Profile): ApiDocument {
  const served = withoutOtherChoices(document, profile) as ApiDocument;
  const paths: ApiDocument['paths'] = {};
  const referencesBefore = profile === shippedProfile ? undefined : referencesOf(served);
  for (const { path, method, operation } of eachOperation(served)) {
    const id = String(operation['operationId']);
    const override = profile.operations[id] ?? {};
    const shared = (served.paths[path]?.['parameters'] ?? []) as unknown as readonly Json[];
    operation['parameters'] = [...shared, ...((operation['parameters'] ?? []) as readonly Json[])];
    const place = toPlace(path, override, profile);
    moveIdentifiers(operation, place.moved, served);
    if (override.mode) setMode(operation, override.mode);
    operation['responses'] = toResponses(operation, override, profile, served);
    showAccepted(operation, override, served);
    const target = override.method?.toLowerCase() ?? method;
    const item = paths[place.path] ?? {};
    paths[place.path] = item;
    item[target] = operation;
  }
  served.paths = paths;
  requireFields(served, profile);
  showUserRules(served, profile);
  if (profile !== shippedProfile) showRules(served, profile);
  showResults(served, profile);
  showErrorCodes(served, profile);
  showErrorBodies(served, profile);
  showCallbacks(served, profile);
  showResponseHeaders(served, profile);
  if (referencesBefore) dropUnreferenced(served, referencesBefore);
  return served;
}

/** Changes the examples of a result that only says that the record was accepted. */
function showAccepted(operation: Json, { mode, status: success }: OperationOverride, document: ApiDocument): void {
  if (mode !== 'async' && success !== 202) return;
  for (const [status, response] of Object.entries(operation['responses'] as Record<string, Json>)) {
    const media = (response['content'] as Record<string, Json> | undefined)?.['application/json'];
    if (status.startsWith('2') && media) showExamples(document, media, toAcceptedResult);
  }
}

/** Shows what the profile assumes of registered users: the type of those without one, and access of attendants. */
function showUserRules(document: ApiDocument, { users: { withoutType, attendantAccess } }: Profile): void {
  const registration = [...eachOperation(document)].find(
    ({ operation }) => operation['operationId'] === 'registerUser',
  );
  const schema = resolve(document, bodySchema(registration?.operation ?? {}) ?? {});
  const { mapping = {} } = (schema['discriminator'] ?? {}) as Record<string, Json>;
  const makeOptional = (userType: string, field: string): Json => {
    const kind = resolve(document, { $ref: mapping[userType] });
    kind['required'] = ((kind['required'] ?? []) as readonly string[]).filter((name) => name !== field);
    return kind;
  };
  if (attendantAccess === 'default') dropSentence(makeOptional('attendant', 'access'), 'It is rejected.');
  if (withoutType === 'reject') return;
  makeOptional(withoutType, 'type');
  const { type = {} } = (schema['properties'] ?? {}) as Record<string, Json>;
  type['default'] = withoutType;
  // It rejects a body without a type.
  delete schema['else'];
  dropSentence(schema, 'That a missing type means the default, which is rejected.');
}

/** Mark of a list whose maximum length is the profile's. */
export const limitMark = 'limits.entries';

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
  for (const key in value) copy[key] = withoutOtherChoices((value as Json)[key], profile);
  if (copy['x-profile'] === limitMark) copy['maxItems'] = profile.limits.entries;
  return copy;
}

function isOtherChoice(value: unknown, { users }: Profile): boolean {
  const mark: unknown = typeof value === 'object' && value !== null ? (value as Json)['x-profile'] : undefined;
  return typeof mark === 'string' && mark.includes('=') && mark !== `users.attendantAccess=${users.attendantAccess}`;
}

/** Returns the statuses that a job and an order may have. */
export function statusesOf(document: ApiDocument): Readonly<Record<'jobs' | 'orders', readonly string[]>> {
  const of = (operationId: string): readonly string[] => {
    const found = [...eachOperation(document)].find(({ operation }) => operation['operationId'] === operationId);
    const body = resolve(document, bodySchema(found?.operation ?? {}) ?? {});
    const status = (body['properties'] as Record<string, Json> | undefined)?.['status'] ?? {};
    return (resolve(document, status)['enum'] ?? []) as readonly string[];
  };
  // A single job that is created has a list of its own. An overlay may add to either.
  return { jobs: [...new Set([...of('syncCreateJob'), ...of('syncUpdateJob')])], orders: of('syncUpdateOrder') };
}

/** The entries of lists, as a profile's `required` divides them. */
type EntryKind = JobVariant | 'orders' | 'routes';

/** Returns the kind of a list's entries. One list creates jobs that have the fields of an update. */
function toEntryKind(list: EntryList, { operationId }: Json): EntryKind | undefined {
  if (list === 'locations') return undefined;
  if (list === 'routes/jobs') return 'inRoute';
  if (list !== 'jobs') return list;
  return String(operationId).includes('Update') || operationId === 'syncCreateJobsInSubproject' ? 'update' : 'create';
}

/** Lists the schemas of the entries of all lists. */
function* eachEntry(document: ApiDocument): Generator<readonly [kind: EntryKind, entry: Json]> {
  for (const { operation } of eachOperation(document)) {
    for (const [list, entry] of eachEntryList(document, operation)) {
      const kind = toEntryKind(list, operation);
      if (kind) yield [kind, entry];
    }
  }
}

/** Returns the names of the fields of list entries. */
export function entryFieldsOf(document: ApiDocument): (kind: EntryKind) => readonly string[] {
  const entries = new Map(eachEntry(document));
  return (kind) => Object.keys((entries.get(kind)?.['properties'] ?? {}) as Json);
}

/** Sets the profile's required fields in the schemas of all list entries. */
function requireFields(document: ApiDocument, { required }: Profile): void {
  const fields = { ...required.jobs, orders: required.orders, routes: required.routes };
  for (const [kind, entry] of eachEntry(document)) addRequired(entry, fields[kind]);
}

/** Adds required fields to those of a schema, which an overlay may have added. */
function addRequired(schema: Json, fields: readonly string[]): void {
  const all = new Set([...fields, ...((schema['required'] ?? []) as readonly string[])]);
  schema['required'] = [...all];
  if (all.size > 1) dropSentence(schema, 'The sandbox needs only `id`.');
}

/** Removes a sentence about the default from the mark of an assumption, because the profile has changed it. */
function dropSentence(schema: Json, sentence: string): void {
  const { 'x-not-shown': text } = schema;
  if (typeof text !== 'string' || !text.includes(sentence)) return;
  const rest = text.replace(sentence, '').replace(/ +/g, ' ').trim();
  if (rest === '') delete schema['x-not-shown'];
  else schema['x-not-shown'] = rest;
}

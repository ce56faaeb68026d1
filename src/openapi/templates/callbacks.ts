/** Shows the profile's callbacks in the served document: in its webhooks, and in the callbacks of its operations. */
import type { Json } from '../../lib/json.ts';
import { fillTemplate, parseTemplate } from '../../lib/template.ts';
import { type ApiDocument, eachOperation, resolve } from '../api-document.ts';
import { callbackPlaceholders, exampleValues } from '../profile/placeholders.ts';
import { type CallbackSettings, type Profile, shippedProfile } from '../profile/profile.ts';
import { schemasOf, showExamples } from './error-bodies.ts';
import { inferSchema } from './template-schema.ts';

const messageSchema = 'CallbackMessage';
const dataSchema = 'CallbackData';

/** Changes the callbacks to those of the profile. */
export function showCallbacks(document: ApiDocument, { bodies, callbacks }: Profile): void {
  const isDefault = JSON.stringify(callbacks) === JSON.stringify(shippedProfile.callbacks);
  if (isDefault && bodies['callback'] === undefined) return;
  const schemas = schemasOf(document);
  if (callbacks.successes) addSuccesses(document, schemas);
  const fill = showPayload(schemas, bodies['callback'], callbacks);
  for (const item of eachCallback(document)) showCallback(document, item, callbacks, fill);
}

/** Yields the path items of all callbacks. */
function* eachCallback(document: ApiDocument): Generator<Record<string, Json>> {
  yield* Object.values((document['webhooks'] ?? {}) as Record<string, Record<string, Json>>);
  for (const { operation } of eachOperation(document)) {
    for (const callback of Object.values((operation['callbacks'] ?? {}) as Record<string, Json>)) {
      for (const item of Object.values(callback)) yield item as Record<string, Json>;
    }
  }
}

/** Adds the types and the list of entries that were carried out. */
function addSuccesses(document: ApiDocument, schemas: Record<string, Json>): void {
  const { type = {} } = fieldsOf(schemas[messageSchema]);
  const named = resolve(document, type);
  const types = named['enum'] as readonly string[];
  const meanings = named['x-enum-descriptions'] as readonly string[];
  named['enum'] = [...types, ...types.map((one) => one.replace(/failed$/, 'completed'))];
  named['x-enum-descriptions'] = [...meanings, ...meanings.map((one) => one.replace('could not be', 'were'))];
  const data = schemas[dataSchema] ?? {};
  data['required'] = ((data['required'] ?? []) as readonly string[]).filter((name) => name !== 'failed');
  const properties = (data['properties'] ?? {}) as Record<string, Json>;
  properties['succeeded'] = {
    type: 'array',
    items: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
    description: 'The entries that were carried out; in callbacks of the types that end with completed.',
  };
}

/** Replaces the schema of the payload. Returns the function that changes an example. */
function showPayload(schemas: Record<string, Json>, body: unknown, { successes }: CallbackSettings) {
  if (body === undefined) return (value: unknown): unknown => value;
  const template = parseTemplate(body);
  const { type = {}, timestamp = {}, data: inner = {} } = fieldsOf(schemas[messageSchema]);
  const data = fieldsOf(schemas[dataSchema]);
  const placeholders = {
    schemas: { ...callbackPlaceholders, ...data, type, timestamp, data: inner },
    optional: new Set(['subProjectId', ...(successes ? ['failed', 'succeeded', 'entry.reason'] : ['succeeded'])]),
  };
  const description = schemas[messageSchema]?.['description'];
  schemas[messageSchema] = { description, ...inferSchema(template, placeholders) };
  return (value: unknown): unknown => {
    const message = value as {
      readonly data: { readonly failed?: readonly Json[]; readonly succeeded?: readonly Json[] };
    };
    const values = {
      ...exampleValues,
      subProjectId: undefined,
      id: 'msg_5f0c2ad19be84713',
      ...message.data,
      ...message,
    };
    return fillTemplate(template, values, { entry: message.data.failed ?? message.data.succeeded });
  };
}

function fieldsOf(schema: Json | undefined): Record<string, Json> {
  return (schema?.['properties'] ?? {}) as Record<string, Json>;
}

/** Changes the method, content type, examples and headers of one callback. */
function showCallback(
  document: ApiDocument,
  item: Record<string, Json>,
  settings: CallbackSettings,
  fill: (value: unknown) => unknown,
): void {
  const { post } = item;
  if (!post) return;
  const requestBody = post['requestBody'] as Json | undefined;
  const content = requestBody?.['content'] as Record<string, Json> | undefined;
  const json = content?.['application/json'];
  if (requestBody && json) {
    showExamples(document, json, fill);
    requestBody['content'] = { [settings.contentType]: json };
  }
  const given = (post['parameters'] ?? []) as readonly Json[];
  const isStandard = settings.signature === 'standard-webhooks';
  const kept = given.filter((parameter) => isStandard || !String(parameter['name']).startsWith('webhook-'));
  post['parameters'] = [...kept, ...toHeaders(settings)];
  const text = String(post['description'] ?? '');
  const described = settings.perEntry ? text.replace(/once for all failures [^.]*/, 'once for each entry') : text;
  post['description'] = isStandard ? described : described.replace(/ Signed as .*$/s, describe(settings));
  delete item['post'];
  item[settings.method.toLowerCase()] = post;
}

function describe({ signature }: CallbackSettings): string {
  if (signature === 'none') return ' It is not signed. A message can arrive more than once.';
  const { hmac, header, over = '{body}' } = signature as Exclude<CallbackSettings['signature'], string>;
  const what = hmac ? `the HMAC (${hmac}) of \`${over}\`` : 'the secret';
  return ` The header \`${header}\` has ${what}. A message can arrive more than once.`;
}

/** Returns the parameters for the profile's own headers. */
function toHeaders({ headers, signature }: CallbackSettings): readonly Json[] {
  const own = Object.entries(headers).map(([name, value]) => toHeader(name, `As in \`${value}\`.`));
  if (typeof signature === 'string') return own;
  return [...own, toHeader(signature.header, `The signature, as in \`${signature.value ?? '{hex}'}\`.`, true)];
}

function toHeader(name: string, description: string, required = false): Json {
  return { name: name.toLowerCase(), in: 'header', required, description, schema: { type: 'string' } };
}

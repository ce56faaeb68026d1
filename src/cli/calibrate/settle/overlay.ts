/** Settles what the document does not allow and the real API accepts: an overlay adds fields, or loosens a keyword. */
import apiSource from '../../../../spec/openapi.yaml';
import type { Json } from '../../../lib/json.ts';
import { type ApiDocument, bodySchema, eachOperation } from '../../../openapi/document.ts';
import { type AcceptedMistake, findAccepted } from '../compare/mistakes.ts';
import { groupBy, isObject } from '../exchange.ts';
import type { Case } from '../play/play.ts';
import type { Evidence, OverlayAction, Proposal, Trial } from './proposal.ts';

/** The document as it is shipped, without a profile. */
export const shippedDocument: ApiDocument = apiSource as ApiDocument;

/** A schema, and its JSONPath in the document. */
interface SchemaTarget {
  readonly target: string;
  readonly schema: Json;
}

/** Equal mistakes of all operations that share a schema. */
interface SharedMistake {
  readonly target: SchemaTarget;
  readonly mistakes: readonly (AcceptedMistake & { readonly operation: string })[];
}

export function settleUnknownFields({ cases }: Evidence): readonly Proposal[] {
  return findShared(cases, (kind) => kind === 'unknown field').map(({ target: { target }, mistakes }) => {
    const name = String(mistakes[0]?.violation.params?.['additionalProperty']);
    const schema = toSchema(mistakes.map(({ value }) => value));
    const places = new Set(mistakes.map(({ operation, seen }) => `${operation} ${seen}`));
    return {
      text: `overlay: update ${target}: properties: { ${name}: ${JSON.stringify(schema)} }`,
      actions: [{ target, update: { properties: { [name]: schema } } }],
      settles: ({ kind, seen, operation }) => kind === 'unknown field' && places.has(`${operation} ${seen}`),
    };
  });
}

/** Returns the overlay that allows all values which the real API accepts. */
export function tryLooserSchemas({ cases }: Evidence): readonly Trial[] {
  const trials = findShared(cases, (kind) => kind !== 'unknown field').flatMap((shared): readonly Trial[] => {
    const action = toAction(shared);
    if (!action) return [];
    const { target, update } = action;
    const text = update ? `update ${target}: ${JSON.stringify(update)}` : `remove ${target}`;
    return [{ text: `overlay: ${text}`, actions: [action], isAbout: () => true }];
  });
  return trials;
}

/** Groups the mistakes that the document's own schemas cause, by schema and keyword. */
function findShared(cases: readonly Case[], isWanted: (kind: string) => boolean): readonly SharedMistake[] {
  const found = cases.flatMap((one) =>
    findAccepted(one).flatMap((mistake) => {
      const { operation } = one.mapped;
      const { schemaPath = '', keyword, params = {} } = mistake.violation;
      const target = isWanted(mistake.kind) ? findSchema(operation, schemaPath) : undefined;
      const field = params['missingProperty'] ?? params['additionalProperty'];
      return target ? [{ key: JSON.stringify([target.target, keyword, field]), target, ...mistake, operation }] : [];
    }),
  );
  const groups = groupBy(found, ({ key }) => key);
  return [...groups.values()].flatMap((mistakes) => (mistakes[0] ? [{ target: mistakes[0].target, mistakes }] : []));
}

/** Returns the schema that has a keyword, by the keyword's path in the validated schema of an operation. */
function findSchema(operation: string, schemaPath: string): SchemaTarget | undefined {
  const [, root, part, ...keys] = schemaPath.split('/').slice(0, -1);
  const found = root === 'properties' && part === 'requestBody' ? bodies.get(operation) : undefined;
  return keys.reduce<SchemaTarget | undefined>(
    (at, key) => at && step(at, key.replace(/~1/g, '/').replace(/~0/g, '~')),
    found,
  );
}

const bodies: ReadonlyMap<string, SchemaTarget> = new Map(
  [...eachOperation(shippedDocument)].map(({ path, method, operation }) => {
    const target = `$.paths${toKey(path)}.${method}.requestBody.content${toKey('application/json')}.schema`;
    return [String(operation['operationId']), follow({ target, schema: bodySchema(operation) ?? {} })];
  }),
);

function step({ target, schema }: SchemaTarget, key: string): SchemaTarget | undefined {
  const inner = schema[key];
  if (typeof inner !== 'object' || inner === null) return undefined;
  return follow({ target: target + (Array.isArray(schema) ? `[${key}]` : toKey(key)), schema: inner as Json });
}

/** Follows references, so that the target is the schema itself. */
function follow({ target, schema }: SchemaTarget): SchemaTarget {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return { target, schema };
  const keys = $ref.slice(2).split('/');
  const found = keys.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), shippedDocument);
  return follow({ target: `$${keys.map(toKey).join('')}`, schema: isObject(found) ? found : {} });
}

function toKey(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `['${name.replace(/['\\]/g, '\\$&')}']`;
}

function toAction({ target: { target, schema }, mistakes }: SharedMistake): OverlayAction | undefined {
  const { keyword = '', params = {} } = mistakes[0]?.violation ?? {};
  const values = mistakes.map(({ value }) => value);
  if (!(keyword in schema)) return undefined;
  switch (keyword) {
    case 'required':
      return { target: `${target}.required[?@ == '${params['missingProperty']}']`, remove: true };
    case 'enum':
      return { target, update: { enum: [...new Set(values)] } };
    case 'type':
      return { target, update: { type: [...new Set([schema['type'], ...values.map(typeOf)].flat())] } };
    default:
      return { target: `${target}${toKey(keyword)}`, remove: true };
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** Returns a schema that all values satisfy. A field that was only null may have any type. */
function toSchema(values: readonly unknown[]): Json {
  // Integers seen so far are no evidence against fractions.
  const types = [...new Set(values.map(typeOf).map((type) => (type === 'integer' ? 'number' : type)))];
  if (types.every((type) => type === 'null')) return {};
  const schema: Json = { type: types.length > 1 ? types : types[0] };
  if (types.includes('object')) schema['additionalProperties'] = true;
  return schema;
}

/** Checks that the sandbox can work with a changed document: operations, bodies, references and schemas. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { isObject, type Json } from '../../../lib/json.ts';
import { fromPointer, toPointer, valueAt } from '../../../lib/pointer.ts';
import { type ApiDocument, bodySchema, eachEntryList, eachOperation, resolve } from '../../api-document.ts';
import { valueKeys } from '../../close-objects.ts';
import { referencesOf } from '../move-identifiers.ts';
import { parameterNames } from '../places.ts';
import { compileLinear, patternsIn } from './linear-pattern.ts';

/** Creates a function that returns the first mistake of a document, compared with the source. */
export function createDocumentCheck(source: ApiDocument): (document: ApiDocument) => string | undefined {
  const checkSchema = createSchemaCheck(new Set(patternsIn(source)));
  const expected = factsOf(source);
  return (document) =>
    findNull(document) ??
    findBrokenReference(document) ??
    compareOperations(expected, document) ??
    findOwnFields(document) ??
    findBrokenSchema(document, checkSchema);
}

/** Finds a null where OpenAPI has none: outside of values. */
function findNull(part: unknown, path: readonly string[] = []): string | undefined {
  if (part === null) return `sets ${toPointer(path)} to null; expected remove: true for what must go`;
  const fields = typeof part === 'object' ? Object.entries(part) : [];
  for (const [key, inner] of fields) {
    const isValue = (valueKeys.has(key) && path.at(-1) !== 'responses') || key.startsWith('x-');
    const found = isValue ? undefined : findNull(inner, [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What the sandbox needs of an operation. */
interface OperationFacts {
  readonly parameters: string;
  /** Lists in its body whose items are records. */
  readonly lists: readonly string[];
}

function factsOf(document: ApiDocument): ReadonlyMap<string, OperationFacts> {
  const operations = [...eachOperation(document)].map(({ path, operation }) => {
    const parameters = parameterNames(path).toSorted().join(', ');
    return [String(operation['operationId']), { parameters, lists: listsOf(document, operation) }] as const;
  });
  return new Map(operations);
}

function listsOf(document: ApiDocument, operation: Json): readonly string[] {
  return [...eachEntryList(document, operation)].flatMap(([list, { properties }]) => (properties ? [list] : []));
}

function bodyOf(document: ApiDocument, operation: Json): Json {
  return resolve(document, bodySchema(operation) ?? {});
}

function compareOperations(expected: ReadonlyMap<string, OperationFacts>, document: ApiDocument): string | undefined {
  if (!isObject(document.paths)) return 'removes the paths';
  const operations = new Map([...eachOperation(document)].map((one) => [String(one.operation['operationId']), one]));
  const actual = factsOf(document);
  for (const [id, { parameters, lists }] of expected) {
    const found = operations.get(id);
    if (!found) return `removes the operation ${id}, which the sandbox needs`;
    if (actual.get(id)?.parameters !== parameters)
      return `changes the parameters of ${id}; expected ${parameters} in its path`;
    if (!isObject(found.operation['responses'])) return `removes the responses of ${id}`;
    if (bodyOf(document, found.operation)['properties'] === undefined) return `removes the fields of the body of ${id}`;
    const odd = findOddParameter(document, id, found);
    if (odd !== undefined) return odd;
    const lost = lists.find((list) => !actual.get(id)?.lists.includes(list));
    if (lost !== undefined) return `removes the list ${lost.replace('routes/', '')} of ${id}, which the sandbox needs`;
  }
  const added = [...operations.keys()].find((id) => !expected.has(id));
  return added === undefined ? undefined : `adds the operation ${added}, which the sandbox cannot play`;
}

/** Fields that the sandbox sets in records. */
const ownFields = ['createdAt', 'updatedAt', 'routeId', 'passwordChangedAt', 'trail'];

/** Finds one in a body, or in the entries of its lists. */
function findOwnFields(document: ApiDocument): string | undefined {
  for (const { operation } of eachOperation(document)) {
    const entries = [...eachEntryList(document, operation)].map(([, entry]) => entry);
    const names = [bodyOf(document, operation), ...entries].flatMap(({ properties }) => Object.keys(properties ?? {}));
    const own = names.find((name) => ownFields.includes(name));
    if (own !== undefined)
      return `adds the field ${own} to ${String(operation['operationId'])}, which the sandbox sets itself; expected another name`;
  }
  return undefined;
}

interface PlacedOperation {
  readonly path: string;
  readonly operation: Json;
}

/** Returns the parameters of an operation and of its path. */
function parametersOf(document: ApiDocument, { path, operation }: PlacedOperation): readonly Json[] {
  const lists = [document.paths[path]?.['parameters'], operation['parameters']] as unknown as readonly Json[][];
  return lists.flatMap((list = []) => list).map((one) => resolve(document, one));
}

/** Finds a parameter without what its validator reads. */
function findOddParameter(document: ApiDocument, id: string, found: PlacedOperation): string | undefined {
  const all = parametersOf(document, found);
  if (all.some((one) => one['in'] === 'cookie'))
    return `adds a cookie to ${id}, which the sandbox cannot read; expected in: query or header`;
  const odd = all.find((one) => !isReadable(one, found.path));
  return (
    odd && `adds the parameter ${JSON.stringify(odd)} to ${id}; expected a name, in: query or header, and a schema`
  );
}

/** Whether a parameter has a name, a place and a schema. */
function isReadable(parameter: Json, path: string): boolean {
  if (!isObject(parameter)) return false;
  const { name, in: place, schema, content = {} } = parameter;
  const isPlaced =
    place === 'path' ? parameterNames(path).includes(String(name)) : /^(?:query|header)$/.test(`${place}`);
  return isPlaced && typeof name === 'string' && isObject(schema ?? Object.values(content as object)[0]?.schema);
}

/** Finds a reference to nothing, or to a part that contains it: compiling replaces each reference by a copy. */
function findBrokenReference(
  document: ApiDocument,
  part: unknown = document,
  isFollowed: Map<string, boolean> = new Map(),
): string | undefined {
  for (const $ref of referencesOf(part)) {
    if (isFollowed.get($ref)) continue;
    if (isFollowed.has($ref)) return `makes ${$ref} contain itself; expected references without a cycle`;
    if (!$ref.startsWith('#/')) return `refers to ${$ref}, which is not in the document`;
    const target = valueAt(document, fromPointer($ref));
    if (target === undefined) return `breaks the reference ${$ref}`;
    isFollowed.set($ref, false);
    const mistake = findBrokenReference(document, target, isFollowed);
    if (mistake !== undefined) return mistake;
    isFollowed.set($ref, true);
  }
  return undefined;
}

type SchemaCheck = (schema: unknown) => string | undefined;

function createSchemaCheck(own: ReadonlySet<string>): SchemaCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  return (schema) => {
    if (ajv.validateSchema(schema as object)) return findBrokenPattern(schema, own);
    // Errors of `anyOf` and of the referring meta-schemas only repeat the one that is deepest.
    const errors = (ajv.errors ?? []).toSorted((a, b) => b.instancePath.length - a.instancePath.length);
    const [first] = errors;
    return first && `${first.instancePath} ${first.message}`;
  };
}

/** Finds a pattern that can't be matched in linear time; the meta-schema does not check patterns. */
function findBrokenPattern(schema: unknown, own: ReadonlySet<string>): string | undefined {
  for (const pattern of patternsIn(schema)) {
    try {
      if (!own.has(pattern)) compileLinear(pattern);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return `: the pattern ${JSON.stringify(pattern)} is no RE2 regular expression; lookahead is possible directly after ^ only: ${reason}`;
    }
  }
  return undefined;
}

function findBrokenSchema(document: ApiDocument, check: SchemaCheck): string | undefined {
  for (const [path, schema] of eachSchema(document)) {
    const mistake = check(schema);
    if (mistake !== undefined) return `makes an invalid schema: ${path}${mistake}`;
  }
  return undefined;
}

/** Yields the named schemas, and those of bodies and parameters. */
function* eachSchema(document: ApiDocument): Generator<readonly [path: string, schema: unknown]> {
  const { schemas = {}, parameters = {} } = document['components'] as Record<string, Json>;
  for (const [name, schema] of Object.entries(schemas)) yield [`/components/schemas/${name}`, schema];
  for (const [name, one] of Object.entries(parameters as Record<string, Json>)) {
    if (one['schema'] !== undefined) yield [`/components/parameters/${name}/schema`, one['schema']];
  }
  for (const { operation } of eachOperation(document)) {
    const id = String(operation['operationId']);
    yield [`${id}: body`, bodySchema(operation)];
    for (const parameter of (operation['parameters'] ?? []) as readonly Json[]) {
      const { name, schema } = resolve(document, parameter);
      if (schema !== undefined) yield [`${id}: ${String(name)}`, schema];
    }
  }
}

/** The examples of the document's operations: their requests, and their texts in the file. */
import { parseDocument, stringify } from 'yaml';
import type { Json } from '../../src/lib/json.ts';
import { type ApiDocument, eachOperation, resolve } from '../../src/openapi/api-document.ts';

interface Example {
  readonly summary: string;
  readonly value: unknown;
}

type Examples = Readonly<Record<string, Example>>;

/** An operation with its request examples, and the examples of its own responses by status. */
export interface ExampleOperation {
  readonly id: string;
  readonly method: string;
  /** The path, with the examples of its parameters. */
  readonly path: string;
  /** The keys of the operation in the document. */
  readonly keys: readonly string[];
  readonly schema: string;
  readonly success: string;
  readonly requests: Examples;
  readonly responses: Readonly<Record<string, Examples>>;
}

function examplesOf(holder: Json): Examples {
  const content = holder['content'] as Record<string, Json> | undefined;
  return (content?.['application/json']?.['examples'] ?? {}) as unknown as Examples;
}

/** Lists the operations of a document. `project` replaces the example of the parameter. */
export function listExampleOperations(document: ApiDocument, project: string): readonly ExampleOperation[] {
  return [...eachOperation(document)].map(({ path, method, operation }) => {
    const shared = (document.paths[path]?.['parameters'] ?? []) as unknown as readonly Json[];
    const own = (operation['parameters'] ?? []) as readonly Json[];
    const values = new Map(
      [...shared, ...own].map((one) => resolve(document, one)).map(({ name, example }) => [name, String(example)]),
    );
    const responses = Object.entries(operation['responses'] as Record<string, Json>);
    const body = operation['requestBody'] as Json;
    const { schema } = (body['content'] as Record<string, Json>)['application/json'] as { schema: Json };
    return {
      id: String(operation['operationId']),
      method: method.toUpperCase(),
      path: path.replace(/\{(\w+)\}/g, (_all, name: string) =>
        name === 'projectId' ? project : String(values.get(name)),
      ),
      keys: ['paths', path, method],
      schema: String(schema['$ref']).replace(/.*\//, ''),
      success: responses.find(([status]) => status < '300')?.[0] ?? '',
      requests: examplesOf(body),
      // A reference is to a response that other operations share.
      responses: Object.fromEntries(
        responses.filter(([, one]) => !('$ref' in one)).map(([status, one]) => [status, examplesOf(one)]),
      ),
    };
  });
}

/** A value of the document, by its keys. */
export interface ExampleValue {
  readonly keys: readonly string[];
  readonly value: unknown;
}

/** Replaces the values in the text of the document, and leaves all other text as it is. */
export function replaceValues(text: string, values: readonly ExampleValue[]): string {
  const document = parseDocument(text);
  const edits = values.flatMap(({ keys, value }) => {
    const node = document.getIn(keys, true) as { range: readonly [number, number, number]; toJSON(): unknown };
    if (JSON.stringify(node.toJSON()) === JSON.stringify(value)) return [];
    const key = text.lastIndexOf('value:', node.range[0]);
    const start = key + 'value:'.length;
    const end = text[node.range[1] - 1] === '\n' ? node.range[1] - 1 : node.range[1];
    const column = key - text.lastIndexOf('\n', key) - 1;
    return [{ start, end, text: toText(value, column + 2) }];
  });
  return edits
    .sort((a, b) => b.start - a.start)
    .reduce((all, edit) => all.slice(0, edit.start) + edit.text + all.slice(edit.end), text);
}

function toText(value: unknown, indent: number): string {
  const flow = stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trimEnd();
  if (flow.length < 80) return ` ${flow.replace(/\[ /g, '[').replace(/ \]/g, ']')}`;
  const lines = stringify(value, { lineWidth: 0 }).trimEnd().split('\n');
  return lines.map((line) => `\n${' '.repeat(indent)}${line}`).join('');
}

/** A mode that a profile swaps: all that the document says about the operation is then true of the other mode. */
import { describe, expect, test } from 'vitest';
import source from '../../spec/openapi.yaml';
import type { Json } from '../../src/lib/json.ts';
import { type ApiDocument, eachOperation, resolve } from '../../src/openapi/api-document.ts';
import { applyProfile } from '../../src/openapi/document.ts';
import { documentedMode, setMode } from '../../src/openapi/modes.ts';
import { type Profile, shippedProfile } from '../../src/openapi/profile/profile.ts';
import { type OperationId, operationIds, operations } from '../../src/operations/index.ts';

const api = source as ApiDocument;
const changeable = operationIds.filter((id) => operations[id].callbackType !== undefined);
const other = (id: OperationId) => (operations[id].mode === 'sync' ? 'async' : 'sync');

const swapped = Object.fromEntries(changeable.map((id) => [id, { mode: other(id) }]));
const served = applyProfile(api, { ...shippedProfile, operations: swapped as Profile['operations'] });

function find(document: ApiDocument, id: string): Json {
  const found = [...eachOperation(document)].find(({ operation }) => operation['operationId'] === id);
  return found?.operation as Json;
}

const statusesOf = (operation: Json) => Object.keys(operation['responses'] as Json);

/** All that the operation says in words, and its success response. */
function wordsOf(operation: Json): string {
  const [success] = Object.values(operation['responses'] as Record<string, Json>);
  const texts = [operation['summary'], operation['description'], operation['tags'], operation['x-not-shown']];
  return JSON.stringify([...texts, success?.['description']]);
}

test.each(operationIds)('the document describes the mode of %s', (id) => {
  expect(documentedMode(find(api, id))).toBe(operations[id].mode);
});

describe.each(changeable)('%s with the other mode', (id) => {
  const before = find(api, id);
  const after = find(served, id);

  test('has words, tags and callbacks of that mode', () => {
    const isAsync = other(id) === 'async';
    expect(wordsOf(after)).not.toMatch(
      isAsync ? /\bsynchronous|is processed|Processed|finished/ : /asynchronous|by callback|accepted/i,
    );
    expect(wordsOf(after)).toMatch(isAsync ? /asynchronous.*by callback/ : /synchronous/);
    expect(after['tags']).not.toEqual(before['tags']);
    expect('callbacks' in after).toBe(isAsync);
    const known = (served['tags'] as unknown as readonly Json[]).map(({ name }) => name);
    expect(known).toEqual(expect.arrayContaining(after['tags'] as string[]));
  });

  test('declares no failure that a callback reports', () => {
    const later = other(id) === 'async' ? ['409', '422'] : [];
    expect(statusesOf(after)).toEqual(statusesOf(before).filter((status) => !later.includes(status)));
    if (other(id) !== 'async') return;
    const { description } = resolve(served, (after['responses'] as Record<string, Json>)['404'] as Json);
    expect(description).toBe('The path does not exist.');
  });

  test('is as before once it has its own mode again', () => {
    const copy = structuredClone(after);
    setMode(copy, operations[id].mode);
    expect(wordsOf(copy)).toBe(wordsOf(before));
  });
});

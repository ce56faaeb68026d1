/** Tests which projects and regions a key is valid for, and the messages for other keys. */
import { describe, expect, test } from 'vitest';
import { parseKey } from '../../src/config/keys.ts';
import { createKeyRing } from '../../src/keys/key-ring.ts';
import type { Problem } from '../../src/lib/problem.ts';
import { createTestWall } from '../harness/wall.ts';

const texts = ['open', 'au-only@au', 'one=p1', 'two=p1,p2', 'both@eu=p1', 'many@au=p1', 'many@us=p2', 'many=p3'];
const keys = createKeyRing({ texts, wall: createTestWall() });

function check(apikey: string | undefined, project: string, host = 'localhost:4600'): string {
  const found = keys.check(apikey === undefined ? {} : { apikey }, host, project);
  return 'kind' in found ? found.kind : 'fine';
}

describe('a key', () => {
  test.each([
    ['open', 'any', 'localhost', 'fine'],
    ['open', 'any', 'us.localhost', 'fine'],
    ['one', 'p1', 'eu.example.com', 'fine'],
    ['one', 'p2', 'localhost', 'foreignKey'],
    ['one', 'P1', 'localhost', 'foreignKey'],
    ['two', 'p2', 'localhost', 'fine'],
    ['two', 'p1,p2', 'localhost', 'foreignKey'],
    ['au-only', 'any', 'au.localhost:4600', 'fine'],
    ['au-only', 'any', 'AU.localhost', 'fine'],
    ['au-only', 'any', 'eu.localhost', 'foreignKey'],
    ['au-only', 'any', 'localhost', 'fine'],
    ['au-only', 'any', 'austria.localhost', 'fine'],
    ['au-only', 'any', '', 'fine'],
    ['both', 'p1', 'eu.localhost', 'fine'],
    ['both', 'p2', 'eu.localhost', 'foreignKey'],
    ['both', 'p1', 'us.localhost', 'foreignKey'],
    ['never-issued', 'p1', 'localhost', 'unknownKey'],
    ['OPEN', 'p1', 'localhost', 'unknownKey'],
    ['one=p1', 'p1', 'localhost', 'unknownKey'],
    ['', 'p1', 'localhost', 'missingKey'],
    [undefined, 'p1', 'localhost', 'missingKey'],
  ])('%s for project %s at %s: %s', (key, project, host, outcome) => {
    expect(check(key, project, host)).toBe(outcome);
  });

  test.each([
    ['p1', 'au.localhost', 'fine'],
    ['p2', 'au.localhost', 'foreignKey'],
    ['p2', 'us.localhost', 'fine'],
    ['p3', 'us.localhost', 'fine'],
    ['p3', 'eu.localhost', 'fine'],
    ['p1', 'eu.localhost', 'foreignKey'],
    ['p1', 'localhost', 'fine'],
    ['p4', 'localhost', 'foreignKey'],
  ])('given several times has all its grants: %s at %s: %s', (project, host, outcome) => {
    expect(check('many', project, host)).toBe(outcome);
  });

  test('opens no project by the name of a prototype', () => {
    expect(check('one', '__proto__')).toBe('foreignKey');
    expect(check('__proto__', 'p1')).toBe('unknownKey');
  });
});

describe('the message', () => {
  const check = (headers: Record<string, string>, host = 'localhost', project = 'p9'): Problem | undefined => {
    const found = keys.check(headers, host, project);
    return 'kind' in found ? found : undefined;
  };

  test('has the path of the header', () => {
    for (const headers of [{}, { apikey: 'never' }, { apikey: 'one' }]) {
      const problem = check(headers as Record<string, string>);
      expect(problem?.errors).toEqual([{ path: 'header:apikey', message: problem?.message }]);
    }
  });

  test('names the region of the key and of the request', () => {
    expect(check({ apikey: 'au-only' }, 'eu.localhost')?.message).toBe(
      'this API key is for region au; the request was made to eu',
    );
  });

  test.each([
    ['authorization', 'Bearer open', 'a valid key'],
    ['authorization', 'open', 'a valid key'],
    ['x-api-key', 'open', 'a valid key'],
    ['api-key', 'something-else', 'a value'],
    ['x-auth-token', 'open', 'a valid key'],
    ['api_key', 'Basic abc', 'a value'],
  ])('names the other header that has the key: %s: %s', (header, value, content) => {
    const message = check({ [header]: value })?.message;
    expect(message).toBe(
      `the API key is missing: the header \`${header}\` has ${content}; send the key in the header \`apikey\``,
    );
  });

  test('never repeats a key', () => {
    const problems = [
      check({ apikey: 'SECRET-1' }),
      check({ 'x-api-key': 'SECRET-1' }),
      check({ authorization: 'Bearer SECRET-1' }),
      check({ apikey: 'au-only' }, 'us.localhost'),
    ];
    expect(JSON.stringify(problems)).not.toMatch(/SECRET-1|au-only/);
  });
});

test('recognises valid keys only', () => {
  expect(['open', 'both', 'many'].map(keys.isKey)).toEqual([true, true, true]);
  expect(['both@eu=p1', 'x', ''].map(keys.isKey)).toEqual([false, false, false]);
});

describe('the option', () => {
  test.each<[string, object]>([
    ['k', { key: 'k' }],
    ['k@au', { key: 'k', region: 'au' }],
    ['k=p', { key: 'k', projects: ['p'] }],
    ['k@us=p,q,', { key: 'k', region: 'us', projects: ['p', 'q'] }],
    ['k=p=q', { key: 'k', projects: ['p=q'] }],
    ['k=a@b', { key: 'k', projects: ['a@b'] }],
    ['a.b-c_d', { key: 'a.b-c_d' }],
  ])('%s', (text, parsed) => {
    expect(parseKey(text)).toEqual(parsed);
  });

  test.each([
    ['', 'visible ASCII'],
    ['@au', 'visible ASCII'],
    ['=p', 'visible ASCII'],
    ['with space', 'visible ASCII'],
    ['schlüssel', 'visible ASCII'],
    ['k@nz', 'region "nz"'],
    ['k@AU', 'region "AU"'],
    ['k@', 'region ""'],
    ['k=', 'no project after'],
    ['k=,', 'no project after'],
  ])('%j is rejected', (text, message) => {
    expect(parseKey(text)).toContain(message);
  });

  test('is not repeated where it is refused', () => {
    expect(parseKey('TOP SECRET')).not.toContain('SECRET');
    expect(parseKey('TOPSECRET@nz')).not.toContain('TOPSECRET');
  });
});

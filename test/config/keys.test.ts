/** API keys: which project and region each opens, and what someone is told whose key does not fit. */
import { describe, expect, test } from 'vitest';
import { createKeys, parseKey } from '../../src/config/keys.ts';

const keys = createKeys([
  'open',
  'au-only@au',
  'one=p1',
  'two=p1,p2',
  'both@eu=p1',
  'many@au=p1',
  'many@us=p2',
  'many=p3',
]);

function check(apikey: string | undefined, project: string, host = 'localhost:4600'): string {
  const problem = keys.check(apikey === undefined ? {} : { apikey }, host, project);
  return problem ? problem.kind : 'fine';
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
  ])('given several times is good for all of it: %s at %s: %s', (project, host, outcome) => {
    expect(check('many', project, host)).toBe(outcome);
  });

  test('opens no project by the name of a prototype', () => {
    expect(check('one', '__proto__')).toBe('foreignKey');
    expect(check('__proto__', 'p1')).toBe('unknownKey');
  });
});

describe('what is told', () => {
  const tell = (headers: Record<string, string>, host = 'localhost', project = 'p9') =>
    keys.check(headers, host, project);

  test('names the header, in every refusal', () => {
    for (const headers of [{}, { apikey: 'never' }, { apikey: 'one' }]) {
      const problem = tell(headers as Record<string, string>);
      expect(problem?.errors).toEqual([{ path: 'header:apikey', message: problem?.message }]);
    }
  });

  test('names the region of a key that is for another', () => {
    expect(tell({ apikey: 'au-only' }, 'eu.localhost')?.message).toBe(
      'this API key is for region au; the request was made to eu',
    );
  });

  test.each([
    ['authorization', 'Bearer open', 'a valid key'],
    ['authorization', 'open', 'a valid key'],
    ['x-api-key', 'open', 'a valid key'],
    ['api-key', 'something-else', 'something'],
    ['x-auth-token', 'open', 'a valid key'],
    ['api_key', 'Basic abc', 'something'],
  ])('says of %s: %s that %s came there', (header, value, what) => {
    const message = tell({ [header]: value })?.message;
    expect(message).toBe(`the API key is missing: ${what} came in the header \`${header}\`, send it as \`apikey\``);
  });

  test('never repeats a key', () => {
    const told = [
      tell({ apikey: 'SECRET-1' }),
      tell({ 'x-api-key': 'SECRET-1' }),
      tell({ authorization: 'Bearer SECRET-1' }),
      tell({ apikey: 'au-only' }, 'us.localhost'),
    ];
    expect(JSON.stringify(told)).not.toMatch(/SECRET-1|au-only/);
  });
});

test('knows its own keys again, and no other', () => {
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
    ['k=', 'no project follows'],
    ['k=,', 'no project follows'],
  ])('%j is refused', (text, message) => {
    expect(parseKey(text)).toContain(message);
  });

  test('is not repeated where it is refused', () => {
    expect(parseKey('TOP SECRET')).not.toContain('SECRET');
    expect(parseKey('TOPSECRET@nz')).not.toContain('TOPSECRET');
  });
});

/** Keys that were issued are not recorded, wherever in a head they stand. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { namesSecret, redactHeaders, redactUrl } from '../../src/http/redact.ts';
import { createKeyRing } from '../../src/keys/key-ring.ts';
import { isSecretName } from '../../src/lib/secret-name.ts';
import { createTestWall } from '../harness/wall.ts';

const { isKey } = createKeyRing({ texts: ['partner-key-1', 'other-key-2@au'], wall: createTestWall() });

test.each([
  ['/jobs', '/jobs'],
  ['/jobs?x=1&y', '/jobs?x=1&y'],
  ['/jobs?apikey=anything&x=1', '/jobs?apikey=***&x=1'],
  ['/jobs?x=partner-key-1&y=2', '/jobs?x=***&y=2'],
  ['/jobs?x=partner%2Dkey%2D1', '/jobs?x=***'],
  ['/jobs?x=%zz&y=other-key-2', '/jobs?x=%zz&y=***'],
  ['/jobs?partner-key-1', '/jobs?***'],
  ['/jobs?x=1;partner-key-1;token=2;y=3&z', '/jobs?x=1;***;token=***&z'],
  ['/jobs#access_token=1&x=2', '/jobs#access_token=***&x=2'],
  ['/projects/partner-key-1/jobs', '/projects/partner-key-1/jobs'],
  ['/jobs?a?token=1&&=2&token=3?4#b?token=5&token', '/jobs?a?token=***&&=2&token=***#b?token=***&token'],
])('%s is recorded as %s', (url, recorded) => {
  expect(redactUrl(url, isKey)).toBe(recorded);
});

test.each([
  ['/projects/acme/orders', '/projects/acme/orders'],
  ['/projects/acme/orders;apikey=any?x=1', '/projects/acme/orders;apikey=***?x=1'],
  ['/projects/acme/orders;x=partner-key-1;y/z', '/projects/acme/orders;x=***;y/z'],
  ['/projects/acme;partner-key-1/orders?partner-key-1', '/projects/acme;***/orders?***'],
  ['/projects/partner%2Dkey%2D1/orders', '/projects/***/orders'],
  ['/projects/token=a/b', '/projects/token=***'],
])('%s is recorded as %s if it is of no project', (url, recorded) => {
  expect(redactUrl(url, isKey, true)).toBe(recorded);
});

test.each(['/', ';', '=', '%'])('a path of very many %s takes linear time', (piece) => {
  const url = `/jobs${piece.repeat(500_000)}`;
  expect(redactUrl(url, isKey, true)).toBe(url);
});

test.each(['?', ';', '&', '=', '#', '%'])('a URL of very many %s takes linear time', (piece) => {
  const url = `/jobs?${piece.repeat(500_000)}`;
  // Quadratic time would be minutes.
  expect(redactUrl(url, isKey)).toBe(url);
});

test.each([
  ['x-foo', 'partner-key-1'],
  ['x-foo', 'Bearer partner-key-1'],
  ['x-foo', 'key=other-key-2; v=1'],
  ['cookie', 'theme=dark'],
  ['authorization', 'Bearer anything'],
])('%s: %s is redacted', (name, value) => {
  expect(redactHeaders({ [name]: value, 'x-other': 'plain words', host: 'a' }, isKey)).toEqual({
    [name]: '***',
    'x-other': 'plain words',
    host: 'a',
  });
});

const word = fc.constantFrom('pass', 'word', 'token', 'pwd', '"', '\\', 'a:', 'note', ' ', 'ä', 'pas', '{', 'cookie');
const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(''));
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(text, tie('tree'), { maxKeys: 3 }),
  ),
}));

/** What is far from any word, and is held for a misspelled password all the same, is not looked for in texts. */
const isMeant = (name: string): boolean => isSecretName(name) && /pas|pwd|token|cookie/.test(name);

/** The names of all fields, at any depth. */
function namesIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(namesIn)];
}

test.each([
  ['as it is', (json: string) => json],
  ['spread over lines', (json: string) => JSON.stringify(JSON.parse(json), null, 2).replaceAll(/(?<!\\)":/g, '" \n :')],
  ['its letters escaped', (json: string) => json.replaceAll('s', '\\u0073')],
])('finds a secret field name in a body, %s', (_how, write) => {
  fc.assert(
    fc.property(tree, (value) => {
      const json = write(JSON.stringify(value));
      // What stands in a text may look like a field: more is held for a secret then, and never less.
      if (namesIn(JSON.parse(json)).some(isMeant)) expect(namesSecret(json, true)).toBe(true);
    }),
    { seed: 11, numRuns: 2000 },
  );
  expect(namesSecret(write('{"notes":"the password: see token"}'), true)).toBe(false);
});

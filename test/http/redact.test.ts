/** Keys that were issued are not recorded, wherever in a head they stand. */
import { expect, test } from 'vitest';
import { createKeys } from '../../src/contract/keys.ts';
import { redactHeaders, redactUrl } from '../../src/http/redact.ts';

const { isKey } = createKeys(['partner-key-1', 'other-key-2@au']);

test.each([
  ['/jobs', '/jobs'],
  ['/jobs?x=1&y', '/jobs?x=1&y'],
  ['/jobs?apikey=anything&x=1', '/jobs?apikey=***&x=1'],
  ['/jobs?x=partner-key-1&y=2', '/jobs?x=***&y=2'],
  ['/jobs?x=partner%2Dkey%2D1', '/jobs?x=***'],
  ['/jobs?x=%zz&y=other-key-2', '/jobs?x=%zz&y=***'],
])('%s is recorded as %s', (url, recorded) => {
  expect(redactUrl(url, isKey)).toBe(recorded);
});

test.each([
  ['x-foo', 'partner-key-1'],
  ['x-foo', 'Bearer partner-key-1'],
  ['x-foo', 'key=other-key-2; v=1'],
  ['cookie', 'theme=dark'],
  ['authorization', 'Bearer anything'],
])('%s: %s is recorded without it', (name, value) => {
  expect(redactHeaders({ [name]: value, 'x-other': 'plain words', host: 'a' }, isKey)).toEqual({
    [name]: '***',
    'x-other': 'plain words',
    host: 'a',
  });
});

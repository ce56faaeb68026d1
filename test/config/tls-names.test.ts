/** The names of the self-signed certificate. options.txt has which may be given. */
import { expect, test } from 'vitest';
import { toNames } from '../../src/config/tls-names.ts';

test.each([
  ['127.0.0.1', [], []],
  ['0.0.0.0', ['sandbox'], ['sandbox']],
  ['::', [], []],
  ['192.168.1.5', ['A.test', 'a.test', 'LOCALHOST'], ['192.168.1.5', 'a.test']],
])('with --host %s and --tls-name %j, adds %j to the default names', (host, more, added) => {
  const defaults = toNames('localhost', []);
  expect(defaults).toContain('au.localhost');
  expect(toNames(host, more)).toEqual([...defaults, ...added]);
});

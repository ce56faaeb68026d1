/** Tests the names of the self-signed certificate. */
import { expect, test } from 'vitest';
import { checkTlsName, toNames } from '../../src/config/tls-names.ts';

test.each([
  'sandbox',
  'Sandbox.Example.com',
  'my_service',
  '*.partner.test',
  '10.0.0.7',
  '::1',
  'fe80::1',
  'xn--kln-sna.de',
])('accepts %s', (name) => {
  expect(checkTlsName(name)).toBeUndefined();
});

test.each([
  'https://sandbox.test',
  'sandbox.test:4643',
  'two words',
  'köln.de',
  '*',
  'a.*.test',
  '-a.test',
  '.test',
  'a..test',
  '10.0.0.256',
  '[::1]',
  'fe80::1%eth0',
  `${'a'.repeat(64)}.test`,
  `${'a.'.repeat(130)}test`,
  'a.test\n',
])('rejects %j', (name) => {
  expect(checkTlsName(name)).toContain('expected a host name, *.NAME or IP address');
});

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

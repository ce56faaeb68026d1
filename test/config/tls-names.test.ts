/** What a certificate can be made for. */
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
])('%s is a name', (name) => {
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
])('%j is none', (name) => {
  expect(checkTlsName(name)).toContain('expected a host name, *.NAME or an IP address');
});

test.each([
  ['127.0.0.1', [], []],
  ['0.0.0.0', ['sandbox'], ['sandbox']],
  ['::', [], []],
  ['192.168.1.5', ['A.test', 'a.test', 'LOCALHOST'], ['192.168.1.5', 'a.test']],
])('listening on %s and told of %j, the certificate names %j beside the usual', (host, more, added) => {
  const usual = toNames('localhost', []);
  expect(usual).toContain('au.localhost');
  expect(toNames(host, more)).toEqual([...usual, ...added]);
});

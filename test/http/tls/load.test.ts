/** Certificates from files: what is served with, and every way in which the files can be wrong. */
import { createPrivateKey } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { generate } from 'selfsigned';
import { beforeAll, describe, expect, test } from 'vitest';
import { readCertificate } from '../../../src/http/tls/certificate.ts';
import { createFolder } from '../../harness/folder.ts';

const folder = createFolder();

const nowMs = Date.parse('2026-06-01T00:00:00Z');
const at = (name: string): string => path.join(folder, name);
const put = (name: string, ...texts: readonly string[]): void => writeFileSync(at(name), texts.join(''));

interface Dates {
  readonly from?: string;
  readonly to?: string;
}

type Pair = Awaited<ReturnType<typeof generate>>;

function make(name: string, ca?: Pair, { from = '2026-01-01', to = '2027-01-01' }: Dates = {}): Promise<Pair> {
  return generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(`${from}T00:00:00Z`),
    notAfterDate: new Date(`${to}T00:00:00Z`),
    extensions: [{ name: 'basicConstraints', cA: !name.startsWith('server'), critical: true }],
    ...(ca && { ca: { key: ca.private, cert: ca.cert } }),
  });
}

const encrypted = (pem: string, type: 'pkcs8' | 'sec1'): string =>
  createPrivateKey(pem).export({ type, format: 'pem', cipher: 'aes-128-cbc', passphrase: 'x' }).toString();

beforeAll(async () => {
  const root = await make('root');
  const between = await make('between', root);
  const server = await make('server', between);
  const alone = await make('server alone');
  const short = await generate([{ name: 'commonName', value: 'short' }], {
    keySize: 512,
    algorithm: 'sha256',
    notBeforeDate: new Date('2026-01-01T00:00:00Z'),
  });
  put('chain.pem', server.cert, between.cert, root.cert);
  put('windows.pem', `Bag Attributes\r\n${server.cert}\r\n${between.cert}\r\n${root.cert}`.replace(/\r?\n/g, '\r\n'));
  put('rootless.pem', server.cert, between.cert);
  put('reversed.pem', root.cert, between.cert, server.cert);
  put('gap.pem', server.cert, root.cert);
  put('alone.pem', alone.cert);
  put('both.pem', alone.private, alone.cert);
  put('old.pem', (await make('server old', root, { from: '2025-01-01', to: '2026-05-31' })).cert);
  put('future.pem', (await make('server to be', root, { from: '2026-06-02' })).cert);
  const oldRoot = await make('old root', undefined, { from: '2020-01-01', to: '2026-02-01' });
  const late = await make('server late', oldRoot);
  put('old-root.pem', late.cert, oldRoot.cert);
  put('late.key', late.private);
  put('server.key', server.private);
  put('sec1.key', createPrivateKey(server.private).export({ type: 'sec1', format: 'pem' }).toString());
  put('alone.key', alone.private);
  put('encrypted.key', encrypted(server.private, 'pkcs8'));
  put('encrypted-sec1.key', encrypted(server.private, 'sec1'));
  put('public.key', server.public);
  put('broken.key', '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n');
  put('broken.pem', '-----BEGIN CERTIFICATE-----\nc2VjcmV0\n-----END CERTIFICATE-----\n');
  put('empty.pem');
  put('short.pem', short.cert);
  put('short.key', short.private);
});

const text = (name: string): string => readFileSync(at(name), 'utf8');
const bare = (pem: string | undefined): string | undefined => pem?.trim();

describe('accepts', () => {
  test.each([
    ['a chain with its root', 'chain.pem', 'server.key', true],
    ['a chain with remarks and the line ends of Windows', 'windows.pem', 'server.key', true],
    ['a chain without its root', 'rootless.pem', 'server.key', false],
    ['one that signed itself', 'alone.pem', 'alone.key', true],
    ['one file for both', 'both.pem', 'both.pem', true],
    ['a key in the older form', 'chain.pem', 'sec1.key', true],
  ])('%s', async (_what, cert, key, hasAuthority) => {
    const read = await readCertificate(at(cert), at(key), nowMs);
    if (!read.ok) throw new Error(read.mistakes.join('\n'));
    const { certificate } = read;
    const pems =
      text(cert)
        .replaceAll('\r', '')
        .match(/-----BEGIN CERT[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
    expect(certificate.cert.trim().split('\n')).toEqual(pems.join('\n').split('\n'));
    expect(certificate.key).toMatch(/^-----BEGIN PRIVATE KEY-----/);
    expect(bare(certificate.authority)).toBe(hasAuthority ? pems.at(-1) : undefined);
  });
});

const server = 'the certificate of "CN=server"';

test.each([
  ['nowhere.pem', 'server.key', [/^--tls-cert: .*nowhere\.pem: file not found$/]],
  ['chain.pem', 'nowhere.key', [/^--tls-key: .*nowhere\.key: file not found$/]],
  ['nowhere.pem', 'nowhere.key', [/^--tls-cert: /, /^--tls-key: /]],
  ['', 'server.key', [/^--tls-cert: .*: expected a file, got a folder$/]],
  [
    'empty.pem',
    'server.key',
    [/empty\.pem: expected a certificate as PEM \(-----BEGIN CERTIFICATE-----\), found none$/],
  ],
  ['server.key', 'server.key', [/^--tls-cert: .* found none; it contains a private key: pass it with --tls-key$/]],
  ['broken.pem', 'server.key', [/^--tls-cert: .*broken\.pem: expected a certificate as PEM; the text between/]],
  [
    'chain.pem',
    'empty.pem',
    [/^--tls-key: .*expected a private key as PEM \(-----BEGIN PRIVATE KEY-----\), found none$/],
  ],
  ['chain.pem', 'chain.pem', [/^--tls-key: .*found none; it contains a certificate: pass it with --tls-cert$/]],
  ['chain.pem', 'public.key', [/^--tls-key: .*expected a private key/]],
  ['chain.pem', 'broken.key', [/^--tls-key: .*broken\.key: expected a private key as PEM; the text between/]],
  [
    'chain.pem',
    'encrypted.key',
    [/^--tls-key: .*encrypted\.key: expected a key without a passphrase, got an encrypted one; decrypt it/],
  ],
  ['chain.pem', 'encrypted-sec1.key', [/^--tls-key: .*encrypted-sec1\.key: .* got an encrypted one/]],
  [
    'chain.pem',
    'alone.key',
    [new RegExp(`alone\\.key: expected the key of ${server} in .*chain\\.pem, got another key$`)],
  ],
  ['reversed.pem', 'server.key', [/^--tls-key: .*got the key of certificate 3; put the server's certificate first$/]],
  ['gap.pem', 'server.key', [new RegExp(`expected the issuer of ${server} after it, got .*"CN=root"$`)]],
  ['old.pem', 'server.key', [/"CN=server old" expired on May 31 .* 2026 GMT$/, /got another key/]],
  ['future.pem', 'server.key', [/"CN=server to be" is not valid before Jun {2}2 .* 2026 GMT$/, /got another key/]],
  ['old-root.pem', 'late.key', [/"CN=old root" expired on Feb {2}1/]],
  ['short.pem', 'short.key', [/^--tls-cert: .*short\.pem: OpenSSL rejects the certificate \(.*key too small\)$/]],
] as const)('rejects %s with the key %s', async (cert, key, expected) => {
  const read = await readCertificate(at(cert), at(key), nowMs);
  const mistakes = read.ok ? [] : read.mistakes;
  expect(mistakes).toEqual(expected.map((words) => expect.stringMatching(words)));
  expect(mistakes.join()).not.toMatch(/c2VjcmV0|[A-Za-z0-9+/]{64}/);
});

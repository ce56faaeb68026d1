/** Reads bodies of many tools, and removes secrets; golden/calibrate.txt has broken entries. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { readTraffic } from '../../../src/cli/calibrate/har.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'har-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;

function write(content: string | Buffer): string {
  files += 1;
  const file = path.join(folder, `${files}.har`);
  writeFileSync(file, content);
  return file;
}

const url = 'https://api.example/async/projects/acme/jobs?x=1';
const request = { method: 'POST', url, headers: [], postData: { mimeType: 'application/json', text: '{"jobs":[]}' } };
const response = { status: 202, headers: [], content: { text: '{"failed":[],"jobs":[],"jobsReceived":0}' } };

async function read(...entries: unknown[]) {
  const mistakes: string[] = [];
  const traffic = await readTraffic([write(JSON.stringify({ log: { entries } }))], mistakes);
  expect(mistakes).toEqual([]);
  return traffic;
}

const toContent = (bytes: Buffer) => ({ text: bytes.toString('base64'), encoding: 'base64' });
const json = '{"failed":[],"note":"ä"}';

describe('bodies', () => {
  test.each([
    ['a text', { content: { text: json } }],
    ['a text behind a byte order mark', { content: { text: `\ufeff${json}` } }],
    ['base64', { content: toContent(Buffer.from(json)) }],
    ['base64 of gzip', { content: toContent(gzipSync(json)), headers: [{ name: 'Content-Encoding', value: 'gzip' }] }],
    [
      'base64 of gzip in capitals',
      { content: toContent(gzipSync(json)), headers: [{ name: 'Content-Encoding', value: 'GZIP' }] },
    ],
    [
      'base64 of brotli',
      { content: toContent(brotliCompressSync(json)), headers: [{ name: 'content-encoding', value: 'br' }] },
    ],
    [
      'base64, decompressed beside the header',
      { content: toContent(Buffer.from(json)), headers: [{ name: 'content-encoding', value: 'br' }] },
    ],
    ['headers as an object', { content: { text: json }, headers: { 'content-type': 'application/json' } }],
  ])('reads %s', async (_name, more) => {
    const { exchanges, broken } = await read({ request, response: { ...response, ...more } });
    expect(broken).toEqual([]);
    expect(exchanges[0]?.response.body?.value).toEqual({ failed: [], note: 'ä' });
  });
});

test('removes keys, cookies, passwords and tokens', async () => {
  const secret = (name: string) => ({ name, value: 'S3CRET' });
  const body = { username: 'ana', password: 'S3CRET!', inner: [{ apiKey: 'S3CRET' }] };
  const { exchanges } = await read({
    request: {
      ...request,
      url: 'https://user:S3CRET@api.example/projects/acme/users?access_token=S3CRET&x=1',
      headers: [secret('apikey'), secret('Authorization'), secret('Cookie'), secret('X-Api-Key')],
      cookies: [secret('session')],
      postData: { text: JSON.stringify(body) },
    },
    response: { ...response, headers: [secret('Set-Cookie')], content: { text: '{"token":"S3CRET"}' } },
  });
  expect(JSON.stringify(exchanges)).not.toContain('S3CRET');
  expect(exchanges[0]).toMatchObject({ query: [['x', '1']], key: 0 });
  // It breaks the same rules as the password in the traffic.
  expect(exchanges[0]?.body?.value).toMatchObject({ username: 'ana', password: 'Stand-in' });
});

/** Answers of the control API and files of the console come compressed where the client accepts that. */
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ clock: 'frozen' });

interface Came {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly bytes: Buffer;
}

/** What comes, as it comes: no client library unpacks it. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Came> {
  return new Promise((resolve, reject) => {
    const outgoing = request(sandbox.url() + path, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
      );
    });
    outgoing.on('error', reject).end();
  });
}

const snapshot = '/_sandbox/projects/p/snapshot';
const requests = '/_sandbox/projects/p/requests';

beforeAll(async () => {
  const jobs = Array.from({ length: 1000 }, (_, n) => ({ id: `J-${n}`, attributes: { town: 'Köln' } }));
  expect((await sandbox.api('POST', '/sync/projects/p/jobs/batch', { jobs })).status).toBe(200);
  for (let n = 0; n < 10; n += 1)
    await sandbox.api('POST', '/sync/projects/p/jobs/batch', { jobs: [{ id: `K-${n}` }] });
});

describe('gzip', () => {
  const coding = 'gzip';

  test.each([snapshot, `${requests}?view=rows&counts=true`, `${requests}?view=full&counts=true`])(
    '%s is smaller and has the same content',
    async (path) => {
      const plain = await ask(path);
      const packed = await ask(path, { 'accept-encoding': coding });
      expect(packed.headers).toMatchObject({ 'content-encoding': coding, vary: 'accept-encoding' });
      expect(packed.headers['content-length']).toBe(String(packed.bytes.length));
      expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 4);
      expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
    },
  );

  test('HEAD returns the headers of GET', async () => {
    const { date: _get, ...headers } = (await ask(snapshot, { 'accept-encoding': coding })).headers;
    const head = await ask(snapshot, { 'accept-encoding': coding }, 'HEAD');
    expect(head).toMatchObject({ status: 200, headers });
    expect(head.bytes).toHaveLength(0);
  });

  test('every large file of the console equals the file on disk', async () => {
    const folder = 'dist/console/assets';
    const large = readdirSync(folder).filter((name) => /\.(js|css)$/.test(name) && !/^(map|reference)-/.test(name));
    for (const name of large) {
      const file = readFileSync(`${folder}/${name}`);
      const plain = await ask(`/_sandbox/assets/${name}`);
      const { headers, bytes } = await ask(`/_sandbox/assets/${name}`, { 'accept-encoding': coding });
      expect(headers['content-encoding'], name).toBe(file.length < 1024 ? undefined : coding);
      expect((file.length < 1024 ? bytes : gunzipSync(bytes)).equals(file), name).toBe(true);
      for (const one of [
        'content-type',
        'cache-control',
        'content-security-policy',
        'x-content-type-options',
        'vary',
      ]) {
        expect(headers[one], one).toBe(plain.headers[one]);
      }
    }
  });
});

test('a client that accepts no coding gets none, with a vary header', async () => {
  for (const accepted of [undefined, 'identity', 'deflate', 'gzip;q=0, br;q=0.0']) {
    const { headers, bytes } = await ask(snapshot, accepted === undefined ? {} : { 'accept-encoding': accepted });
    expect(headers).not.toHaveProperty('content-encoding');
    expect(headers['vary']).toBe('accept-encoding');
    expect(headers['content-length']).toBe(String(bytes.length));
  }
});

test('short responses, events and API responses are not compressed', async () => {
  const accept = { 'accept-encoding': 'br, gzip' };
  expect((await ask('/_sandbox/health', accept)).headers).not.toHaveProperty('content-encoding');
  expect((await ask('/_sandbox/events', accept, 'HEAD')).headers).not.toHaveProperty('content-encoding');
  const jobs = Array.from({ length: 100 }, (_, n) => ({ id: `K-${n}`, status: 'NONE' }));
  const answer = await sandbox.api('POST', '/sync/projects/p/jobs/batch', { jobs }, accept);
  expect(answer.text.length).toBeGreaterThan(1024);
  expect(answer.headers).not.toHaveProperty('content-encoding');
});

test('range and conditional requests use the uncompressed file', async () => {
  const [name = ''] = readdirSync('dist/console/assets').filter((one) => /^index-.*\.js$/.test(one));
  const path = `/_sandbox/assets/${name}`;
  const accept = { 'accept-encoding': 'gzip' };
  const part = await ask(path, { ...accept, range: 'bytes=0-9' });
  expect([part.status, part.headers['content-encoding'], part.bytes.length]).toEqual([206, undefined, 10]);
  const { headers } = await ask(path);
  const again = await ask(path, { ...accept, 'if-none-match': String(headers['etag']) });
  expect([again.status, again.bytes.length]).toEqual([304, 0]);
});

test.each([
  ['', undefined],
  ['GZIP', 'gzip'],
  ['gzip, deflate, br, zstd', 'gzip'],
  ['br, gzip;q=0.5', 'gzip'],
  ['br;q=0, *', 'gzip'],
  ['*;q=0', undefined],
  ['gzip;q=oops', undefined],
  ['identity;q=1, gzip ; q=0.2', 'gzip'],
])('accept-encoding %j: %s', async (header, coding) => {
  expect((await ask(snapshot, { 'accept-encoding': header })).headers['content-encoding']).toBe(coding);
});

/** Request bodies may come compressed: they are read as if they had not been, and limits hold for what they unpack to. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { send } from '../refusals.ts';

const sandbox = useSandbox({ clock: 'frozen' });

const packed = {
  gzip: gzipSync,
  'X-GZIP': gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  BR: brotliCompressSync,
} as const;
const codings = Object.entries(packed);

const toHeaders = (encoding: string) => ({
  apikey: 'sandbox-key',
  'content-type': 'application/json',
  'content-encoding': encoding,
});

const jobs = Array.from({ length: 500 }, (_, n) => ({ id: `J-${n}`, attributes: { note: `Köln ${n}` } }));
const text = JSON.stringify({ jobs });

describe.each(codings)('%s', (encoding, pack) => {
  test('is decompressed: all jobs are imported, and the journal shows the text', async () => {
    const project = freshProject();
    const path = `/sync/projects/${project}/jobs/batch`;
    const answer = await send(sandbox, { method: 'POST', path, headers: toHeaders(encoding), body: pack(text) });
    expect(answer.status).toBe(200);
    expect(await sandbox.items(project, 'jobs')).toHaveLength(500);
    const { body } = await sandbox.control('GET', `/projects/${project}/requests`);
    expect(body.items[0].request).toMatchObject({ body: text, headers: { 'content-encoding': encoding } });
  });

  test('is decompressed when it arrives in small chunks', async () => {
    const path = `/sync/projects/${freshProject()}/jobs/batch`;
    const bytes = pack(text);
    const chunks = Array.from({ length: Math.ceil(bytes.length / 97) }, (_, n) => bytes.subarray(n * 97, (n + 1) * 97));
    const answer = await send(sandbox, { method: 'POST', path, headers: toHeaders(encoding), chunks });
    expect(answer.status).toBe(200);
  });

  test('is accepted by the control API', async () => {
    const path = `/_sandbox/projects/${freshProject()}/snapshot`;
    const body = pack(
      JSON.stringify({ version: 1, jobs: [{ id: 'J' }], orders: [], routes: [], users: [], locations: [] }),
    );
    const answer = await send(sandbox, { method: 'PUT', path, headers: toHeaders(encoding), body });
    expect(answer).toMatchObject({ status: 200, body: { restored: { jobs: 1 } } });
  });

  test.each([
    ['cut short', pack(text).subarray(0, -20)],
    ['not packed at all', Buffer.from(text)],
  ])('that is %s is rejected, and the connection stays usable', async (_what, body) => {
    const path = `/sync/projects/${freshProject()}/jobs/batch`;
    const answer = await send(sandbox, { method: 'POST', path, headers: toHeaders(encoding), body });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(
      /^the body is not valid (gzip|deflate|br), which its content-encoding declares: \S/,
    );
  });
});

test('a body in chunks is rejected while it is read', async () => {
  const chunks = Array.from({ length: 17 }, () => Buffer.alloc(1024 ** 2, 'x'));
  const answer = await send(sandbox, { method: 'POST', path: '/async/projects/p/jobs', chunks });
  expect(answer).toMatchObject({ status: 413, body: { message: expect.stringContaining('bytes, got more') } });
});

test('a password in a compressed body is redacted', async () => {
  const project = freshProject();
  const body = gzipSync(JSON.stringify({ username: 'u', password: 'Hush-Hush1' }));
  await send(sandbox, { method: 'POST', path: `/projects/${project}/users`, headers: toHeaders('gzip'), body });
  for (const path of ['/requests', '/recording']) {
    const { text: shown } = await sandbox.control('GET', `/projects/${project}${path}`);
    expect(shown).toContain('username');
    expect(shown).not.toContain('Hush');
  }
});

test('a disconnected client is not waited for, and rejected bodies do not affect the next request', async () => {
  const project = freshProject();
  const { hostname, port } = new URL(sandbox.url());
  const leaver = connect(Number(port), hostname);
  const head = (length: number) =>
    `POST /sync/projects/${project}/jobs/batch HTTP/1.1\r\nhost: localhost\r\n` +
    `${Object.entries(toHeaders('gzip'))
      .map((pair) => pair.join(': '))
      .join('\r\n')}\r\ncontent-length: ${length}\r\n\r\n`;
  leaver.write(head(1000));
  leaver.end(gzipSync(text).subarray(0, 100));
  await once(leaver.resume(), 'close');
  const bomb = gzipSync(Buffer.alloc(17 * 1024 ** 2, ' '));
  const socket = connect(Number(port), hostname);
  socket.write(head(bomb.length));
  socket.write(bomb);
  socket.write('GET /_sandbox/health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
  let answers = '';
  for await (const bytes of socket) answers += String(bytes);
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
});

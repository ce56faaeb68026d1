/** Commands that read the response of a server end their connection if that response is endless. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from '../../src/cli/frame/run-cli.ts';
import { ControlClient } from '../../src/client/client.ts';
import { createIo } from '../harness/cli.ts';

/** Maximum size of a response that a command may read, and what the sockets of both sides hold, in bytes. */
const maxSent = 160 * 1024 ** 2;
const piece = Buffer.alloc(1024 ** 2, '[');

let sent = 0;
let closed: Promise<void> | undefined;

const server = createServer((request, response) => {
  sent = 0;
  closed = new Promise((end) => response.on('close', end));
  const isStream = request.url?.endsWith('/events');
  response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
  const send = (): void => {
    while (!response.destroyed && sent < maxSent) {
      sent += piece.length;
      if (!response.write(piece)) return void response.once('drain', send);
    }
    response.destroy();
  };
  send();
});

beforeAll(() => new Promise<void>((listening) => server.listen(0, '127.0.0.1', () => listening())));
afterAll(() => void server.closeAllConnections());
afterAll(() => new Promise((end) => server.close(end)));

const port = (): number => (server.address() as AddressInfo).port;

async function run(args: readonly string[], isOver: (text: string) => boolean) {
  const stopped = new AbortController();
  const io = createIo();
  const write = io.stdout.write.bind(io.stdout) as (text: string) => boolean;
  io.stdout.write = (text: string): boolean => {
    const isFree = write(text);
    if (isOver(text)) stopped.abort();
    return isFree;
  };
  const code = await runCli(args, { ...io, signal: stopped.signal });
  await closed;
  return { code, ...io.written };
}

test('coverage', async () => {
  const url = `http://127.0.0.1:${port()}`;
  const { code, err } = await run(['coverage', '--url', url], () => false);
  expect([code, err]).toEqual([2, expect.stringContaining('its response is larger than 64 MB')]);
  expect(sent).toBeLessThan(maxSent);
});

test('listen', async () => {
  const url = `http://127.0.0.1:${port()}`;
  const { out } = await run(['listen', '--url', url], (text) => text.includes('waiting'));
  expect(out).toContain('its response is larger than 64 MB');
  expect(sent).toBeLessThan(maxSent);
});

test('listen, whose events are read one piece after another', async () => {
  const client = new ControlClient({ url: `http://127.0.0.1:${port()}`, adminToken: undefined });
  const open: number[] = [0];
  await client.follow('/events', undefined, async () => {
    open.push((open.at(-1) ?? 0) + 1);
    await new Promise(setImmediate);
    open.push((open.at(-1) ?? 0) - 1);
    if (open.length > 40) client.close();
  });
  expect(Math.max(...open)).toBe(1);
});

test('health', async () => {
  expect(await run(['health', '--port', String(port())], () => false)).toEqual({
    code: 1,
    out: '',
    err: 'not ready: its response is larger than 1 MB\n',
  });
  expect(sent).toBeLessThan(maxSent);
});

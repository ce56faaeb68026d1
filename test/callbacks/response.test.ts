/** The response of a receiver is read to be stored, within bounds of size and time. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { ReceivedResponse } from '../../src/callbacks/response.ts';
import { createSender, type SenderOptions } from '../../src/callbacks/send.ts';

const endings: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** Sends to a receiver with this listener. Returns what was read of its response. */
async function read(listener: RequestListener, options: Partial<SenderOptions> = {}): Promise<ReceivedResponse> {
  const server = createServer((request, response) => {
    response.sendDate = false;
    listener(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endings.push(() => new Promise((resolve) => server.close(resolve)));
  const sender = createSender({ allow: [], timeoutMs: 10_000, wall: { elapsed: () => 0 }, ...options });
  endings.push(() => sender.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const result = await sender.send({ url, headers: {}, body: '{}', keepsResponse: true });
  if (!('response' in result && result.response)) throw new Error(JSON.stringify(result));
  expect(result.status).toBe(500);
  return result.response;
}

test('has the headers, the body and the time until the headers', async () => {
  const times = [1000, 1012.3456];
  const response = await read(
    (_, reply) => reply.writeHead(500, { 'x-a': ['1', '2'], 'content-type': 'text/plain' }).end('no: ö'),
    { wall: { elapsed: () => times.shift() ?? Number.NaN } },
  );
  expect(response).toEqual({
    headers: { 'x-a': '1, 2', 'content-type': 'text/plain', connection: 'close', 'transfer-encoding': 'chunked' },
    body: 'no: ö',
    size: 6,
    isWhole: true,
    durationMs: 12.346,
  });
});

test('without a body, the text is empty', async () => {
  expect(await read((_, reply) => reply.writeHead(500).end())).toMatchObject({ body: '', size: 0, isWhole: true });
});

test.each([
  ['text/html; charset=ISO-8859-1', Buffer.from('für', 'latin1'), 'für'],
  ['text/html; charset="utf-8"', Buffer.from('für'), 'für'],
  ['text/html; charset=klingon', Buffer.from('für'), 'für'],
  ['image/png', Buffer.from([0x89, 0x50, 0x00, 0xff]), '\ufffdP\u0000\ufffd'],
])('%s is decoded', async (type, bytes, text) => {
  expect(await read((_, reply) => reply.writeHead(500, { 'content-type': type }).end(bytes))).toMatchObject({
    body: text,
    size: bytes.length,
  });
});

test('a body that never ends has what was sent by the timeout', async () => {
  const response = await read((_, reply) => reply.writeHead(500).write('start'), { timeoutMs: 200 });
  expect(response).toMatchObject({ body: 'start', size: 5, isWhole: false });
});

test('a body that is cut off has what was sent, and the size that was announced', async () => {
  const response = await read((_, reply) =>
    reply.writeHead(500, { 'content-length': '100' }).write('start', () => reply.destroy()),
  );
  expect(response).toMatchObject({ body: 'start', size: 100, isWhole: false });
});

test('of a long body without a length, 64 kB are read', async () => {
  const { size, isWhole } = await read((_, reply) => reply.writeHead(500).write(Buffer.alloc(1_000_000)));
  expect(isWhole).toBe(false);
  expect(size).toBeGreaterThanOrEqual(64 * 1024);
  expect(size).toBeLessThan(1_000_000);
});

test('of a body whose length is too long, only the beginning is awaited', async () => {
  const response = await read(
    (_, reply) => reply.writeHead(500, { 'content-length': '1000000' }).write(Buffer.alloc(10_000, 'a')),
    { timeoutMs: 60_000 },
  );
  expect(response).toMatchObject({ size: 1_000_000, isWhole: false });
  expect(response.body.length).toBeGreaterThanOrEqual(4096);
});

/** Calls to a server that is no sandbox, or does not answer. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ControlClient, isTemporary } from '../../src/client/client.ts';

const server = createServer((request, response) => {
  const isStream = request.url?.endsWith('/events');
  response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'text/plain' });
  response.flushHeaders();
  if (request.url?.endsWith('/large')) response.write(' '.repeat(2000));
});
beforeAll(() => new Promise<void>((listening) => server.listen(0, '127.0.0.1', () => listening())));
afterAll(() => void server.closeAllConnections());
afterAll(() => new Promise((end) => server.close(end)));

test('a stream that is silent for too long ends, and may be followed again', async () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new ControlClient({ url, adminToken: undefined, silenceMs: 50 });
  const failure = await client.follow('/events', undefined, () => undefined);
  expect(failure).toMatchObject({ reason: 'unreachable', message: 'it sent no data for 0.05 s' });
  expect(isTemporary(failure)).toBe(true);
});

test('an answer in place of a stream is read up to the maximum of responses', async () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new ControlClient({ url, adminToken: undefined, silenceMs: 1000, maxBytes: 1024 });
  const { message } = await client.follow('/large', undefined, () => undefined);
  expect(message).toMatch(/^its response is larger than/);
});

test('what is to happen at the end of a client can be forgotten', () => {
  const client = new ControlClient({ url: 'http://127.0.0.1', adminToken: undefined });
  const ended: string[] = [];
  const forget = client.onClose(() => ended.push('first'));
  client.onClose(() => ended.push('second'));
  forget();
  client.close();
  expect(ended).toEqual(['second']);
});

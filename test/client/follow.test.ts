/** Streams of events over several connections. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ControlClient } from '../../src/client/client.ts';
import { followEvents } from '../../src/client/follow.ts';
import { createWallClock } from '../../src/lib/time.ts';

test('an event that could not be handled is requested again', async () => {
  const lastIds: unknown[] = [];
  const server = createServer(({ headers }, response) => {
    lastIds.push(headers['last-event-id']);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`id: a:${lastIds.length}\ndata: {}\n\n`);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', () => listening()));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stopping = new AbortController();
  const patience = { wall: { ...createWallClock(), after: runNow }, signal: stopping.signal, waiting: () => undefined };
  await followEvents(new ControlClient({ url, adminToken: undefined }), '/events', {
    ...patience,
    read: async () => {
      if (lastIds.length === 1) throw new Error('not available');
      if (lastIds.length === 3) stopping.abort();
    },
  });
  expect(lastIds).toEqual([undefined, undefined, 'a:2']);
});

function runNow(_ms: number, run: () => void): () => void {
  setImmediate(run);
  return () => undefined;
}

/** The proxy that breaks the network between a client and PostgreSQL. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type CuttingProxy, startCuttingProxy } from './cutting-proxy.ts';

interface Pair {
  readonly proxy: CuttingProxy;
  readonly client: Socket;
  readonly server: Socket;
}

/** Connects a client through a proxy to a server. */
async function connectPair(): Promise<Pair> {
  const listener = createServer({ allowHalfOpen: true }, (one) => one.on('error', () => undefined));
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = Object(listener.address()) as { port: number };
  const proxy = await startCuttingProxy(`postgresql://user@127.0.0.1:${address.port}/name?x=1`);
  expect(proxy.url).toBe(`postgresql://user@127.0.0.1:${proxy.port}/name?x=1`);
  const accepted = once(listener, 'connection');
  const client = await connectTo(proxy);
  const [server] = (await accepted) as [Socket];
  onTestFinished(async () => {
    await proxy.close();
    for (const socket of [client, server]) socket.destroy();
    listener.close();
  });
  return { proxy, client, server };
}

async function connectTo({ port }: CuttingProxy): Promise<Socket> {
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  await once(client, 'connect');
  client.on('error', () => undefined);
  return client;
}

/** Resolves with the next data or end of a socket, or with the code of its error. */
async function next(socket: Socket): Promise<string> {
  const data = once(socket, 'data').then(([chunk]) => String(chunk));
  const end = once(socket, 'end').then(() => 'end');
  return Promise.race([data, end].map((one) => one.catch(({ code }: NodeJS.ErrnoException) => String(code))));
}

/** Like `next`, but resolves with `nothing` after a moment. */
const nextSoon = (socket: Socket): Promise<string> => Promise.race([next(socket), setTimeout(200, 'nothing')]);

test('it passes data and a half-closed connection both ways', async () => {
  const { client, server } = await connectPair();
  client.write('to the server');
  expect(await next(server)).toBe('to the server');
  server.write('to the client');
  expect(await next(client)).toBe('to the client');
  client.end();
  expect(await next(server)).toBe('end');
  server.end('after the end');
  expect(await next(client)).toBe('after the end');
  expect(await next(client)).toBe('end');
});

test('cut resets connections and refuses new ones until restore', async () => {
  const { proxy, client, server } = await connectPair();
  const results = Promise.all([next(client), next(server)]);
  await proxy.cut();
  expect(await results).toEqual(['ECONNRESET', 'ECONNRESET']);
  await expect(connectTo(proxy)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await proxy.restore();
  await connectTo(proxy).then((late) => late.destroy());
});

test('hang passes nothing until restore, which delivers it late', async () => {
  const { proxy, client, server } = await connectPair();
  proxy.hang();
  client.write('late');
  expect(await nextSoon(server)).toBe('nothing');
  server.end();
  expect(await nextSoon(client)).toBe('nothing');
  await proxy.restore();
  expect(await Promise.all([next(server), next(client)])).toEqual(['late', 'end']);
});

test('while it hangs, a new connection is accepted, and a reset does not reach the other side', async () => {
  const { proxy, client, server } = await connectPair();
  proxy.hang();
  const second = await connectTo(proxy);
  second.write('unanswered');
  client.resetAndDestroy();
  expect(await nextSoon(server)).toBe('nothing');
  const reset = next(server);
  await proxy.restore();
  expect(await reset).toBe('ECONNRESET');
  second.destroy();
});

test('cut ends a proxy that hangs', async () => {
  const { proxy, client } = await connectPair();
  proxy.hang();
  const reset = next(client);
  await proxy.cut();
  expect(await reset).toBe('ECONNRESET');
});

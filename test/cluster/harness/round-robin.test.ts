/** The load balancer in front of replicas. */
import { once } from 'node:events';
import { Agent, createServer, type RequestListener, request } from 'node:http';
import { connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type RoundRobinOptions, startRoundRobin } from './round-robin.ts';

async function listen(server: Server): Promise<URL> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return new URL(`http://127.0.0.1:${(Object(server.address()) as { port: number }).port}`);
}

/** Starts backends that answer with their number, and a load balancer in front of them. */
async function balance(count: number, options: RoundRobinOptions = {}): Promise<string> {
  const answer =
    (index: number): RequestListener =>
    (incoming, response) => {
      incoming.on('end', () => response.end(String(index))).resume();
    };
  const backends = await Promise.all(Array.from({ length: count }, (_, index) => listen(createServer(answer(index)))));
  return balanceOver(backends, options);
}

async function balanceOver(backends: readonly URL[], options: RoundRobinOptions = {}): Promise<string> {
  const balancer = await startRoundRobin(() => backends, options);
  onTestFinished(() => balancer.close());
  return balancer.url;
}

/** Starts a backend of raw bytes: `respond` gets the connection and what it has received so far. */
async function balanceRaw(respond: (socket: Socket, received: string) => void): Promise<string> {
  const server = createTcpServer((socket) => {
    let received = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      respond(socket, received);
    });
  });
  return balanceOver([await listen(server)]);
}

/** Sends bytes, and collects what comes back until the connection ends; how it ended comes last. */
async function exchange(url: string, ...parts: readonly string[]): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  const ended = new Promise<string>((done) => {
    socket.on('end', () => done('<end>'));
    socket.on('error', ({ message }) => done(`<${message}>`));
  });
  for (const part of parts) {
    socket.write(part, 'latin1');
    await new Promise((done) => setImmediate(done));
  }
  const how = await ended;
  return received + how;
}

/** Sends requests one after another on one connection, and returns the bodies. */
async function sendAll(url: string, bodies: readonly (string | undefined)[]): Promise<readonly string[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const texts: string[] = [];
  for (const body of bodies) {
    const outgoing = request(url, { agent, method: body === undefined ? 'GET' : 'POST' });
    if (body?.startsWith('chunked')) outgoing.write(body);
    outgoing.end(body);
    const [response] = await once(outgoing, 'response');
    texts.push(String(Buffer.concat(await response.toArray())));
  }
  expect(new Set(Object.values(agent.freeSockets).flat()).size).toBe(1);
  return texts;
}

test('requests of one connection go to each backend in turn, with and without bodies', async () => {
  const url = await balance(3);
  const bodies = [undefined, 'short', 'x'.repeat(500_000), 'chunked GET / HTTP/1.1\r\n\r\n', undefined, 'last'];
  expect(await sendAll(url, bodies)).toEqual(['0', '1', '2', '0', '1', '2']);
});

test('connections go to each backend in turn where that is asked for', async () => {
  const url = await balance(2, { per: 'connection' });
  const all = [await sendAll(url, [undefined, 'body', undefined]), await sendAll(url, [undefined])];
  expect(all).toEqual([['0', '0', '0'], ['1']]);
});

test('a backend that refuses connections is skipped, and 503 says that all do', async () => {
  const [gone, here] = [createServer(), createServer((_, response) => response.end('here'))];
  const urls = [await listen(gone), await listen(here)];
  gone.close();
  expect(await sendAll(await balanceOver(urls), [undefined, undefined, undefined])).toEqual(['here', 'here', 'here']);
  const noneLeft = await balanceOver(urls.slice(0, 1));
  expect(await exchange(noneLeft, 'GET / HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1.1 503 .*no backend.*<end>$/s);
});

test('both directions pass unchanged, however the request is cut into pieces', async () => {
  const asked = 'POST /a?b HTTP/1.1\r\nHOST: x\r\nx-Twice: 1\r\nX-tWICE: 2\r\nTransfer-Encoding: chunked\r\n\r\n';
  const chunks = ['3\r\nabc\r\n', '10;ext=1\r\n0123456789abcdef\r\n', '0\r\nTrailer: 1\r\n\r\n'];
  const whole = asked + chunks.join('');
  const answer = 'HTTP/1.1 299 Odd  Reason\r\nSet-cookie: a\r\nset-Cookie: b\r\ncontent-length: 1\r\n\r\nx';
  const url = await balanceRaw((socket, received) => {
    if (received.length === whole.length) socket.end(`${answer}${received}`, 'latin1');
  });
  expect(await exchange(url, ...whole)).toBe(`${answer}${whole}<end>`);
  expect(await exchange(url, asked, ...chunks)).toBe(`${answer}${whole}<end>`);
});

test('pipelined requests go to one backend, and are answered', async () => {
  const url = await balance(2);
  const one = 'GET / HTTP/1.1\r\nHost: x\r\n';
  const received = await exchange(url, `${one}\r\n${one}Connection: close\r\n\r\n`);
  expect(received.match(/\r\n\r\n\d/g)).toEqual(['\r\n\r\n0', '\r\n\r\n0']);
});

test.each([
  [
    'ends within the body',
    (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'),
    /half<end>$/,
  ],
  ['ends within the head', (socket: Socket) => socket.end('HTTP/1.1 20'), /^HTTP\/1.1 20<end>$/],
  ['is no HTTP', (socket: Socket) => socket.end('nonsense\r\n\r\n'), /^nonsense\r\n\r\n<end>$/],
  ['is a reset only', (socket: Socket) => socket.resetAndDestroy(), /^<read ECONNRESET>$/],
  ['is an end only', (socket: Socket) => socket.end(), /^<end>$/],
] as const)('a response that %s arrives like that', async (_, respond, expected) => {
  const url = await balanceRaw((socket) => void respond(socket));
  expect(await exchange(url, 'GET / HTTP/1.1\r\n\r\n')).toMatch(expected);
});

test('a reset within a response arrives as a reset after its first bytes', async () => {
  const url = await balanceRaw((socket, received) => {
    if (received.endsWith('ok')) socket.resetAndDestroy();
    else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf');
  });
  const client = connect(Number(new URL(url).port), '127.0.0.1');
  client.write('POST / HTTP/1.1\r\ncontent-length: 2\r\n\r\n');
  const [first] = await once(client, 'data');
  expect(String(first)).toMatch(/half$/);
  client.write('ok');
  await expect(once(client, 'end')).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test('each part of an endless response arrives at once, and the backend sees that the client leaves', async () => {
  let left: Promise<unknown> | undefined;
  const url = await balanceRaw((socket) => {
    left ??= once(socket, 'end').catch(({ code }: NodeJS.ErrnoException) => code);
    socket.write('HTTP/1.1 200 OK\r\n\r\ndata: 1\n\n');
  });
  const client = connect(Number(new URL(url).port), '127.0.0.1');
  client.write('GET /events HTTP/1.1\r\n\r\n');
  const [first] = await once(client, 'data');
  expect(String(first)).toContain('data: 1');
  client.resetAndDestroy();
  expect(await left).toBe('ECONNRESET');
});

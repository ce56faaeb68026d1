import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import {
  type AddressInfo,
  createServer as createTcpServer,
  getDefaultAutoSelectFamily,
  type LookupFunction,
  type Server,
  type Socket,
  setDefaultAutoSelectFamily,
} from 'node:net';
import { afterEach, expect, test } from 'vitest';
import {
  createSender,
  type Delivery,
  isUnreachable,
  type Sender,
  type SenderOptions,
} from '../../src/callbacks/send.ts';
import { describeError } from '../../src/lib/describe-error.ts';
import { useRefusedPort } from '../harness/refused-port.ts';

const refused = useRefusedPort();
const endings: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endings.push(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function receive(listener: RequestListener): Promise<string> {
  return listen(createServer(listener));
}

function answerWith(status: number, headers: Record<string, string> = {}): Promise<string> {
  return receive((_, response) => response.writeHead(status, headers).end('answer'));
}

function createTestSender(options: Partial<SenderOptions> = {}): Sender {
  const sender = createSender({ allow: [], timeoutMs: 10_000, ...options });
  endings.push(() => sender.close());
  return sender;
}

function toDelivery(url: string, more: Partial<Delivery> = {}): Delivery {
  return { url, headers: { 'webhook-id': 'cb_1' }, body: '{"a":"ö"}', ...more };
}

/** Resolves every name to these addresses, in the requested form. */
function resolveTo(...addresses: readonly string[]): LookupFunction {
  return (_, options, callback) => {
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    if (options.all) callback(null, found);
    else callback(null, found[0]?.address ?? '', found[0]?.family);
  };
}

test('sends the body and the headers, and closes the connection', async () => {
  const seen: { request: IncomingMessage; body: string }[] = [];
  const url = await receive(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    seen.push({ request, body: Buffer.concat(chunks).toString() });
    response.writeHead(200).end('thanks');
  });
  const sender = createTestSender();
  expect(await sender.send(toDelivery(`${url}/hooks/1?a=b#c`))).toStrictEqual({ status: 200 });
  const [{ request, body } = expect.fail('nothing came')] = seen;
  expect([request.method, request.url, body]).toEqual(['POST', '/hooks/1?a=b', '{"a":"ö"}']);
  expect(request.headers).toEqual({
    host: url.slice('http://'.length),
    connection: 'close',
    'content-type': 'application/json',
    'content-length': '10',
    'user-agent': 'field-sandbox',
    'webhook-id': 'cb_1',
  });
});

test.each([
  ['ECONNREFUSED', 'connection refused', true],
  ['ENOTFOUND', 'host name not found', true],
  ['EAI_AGAIN', 'host name could not be resolved', true],
  ['EHOSTUNREACH', 'host unreachable', true],
  ['ENETUNREACH', 'network unreachable', true],
  ['CERT_HAS_EXPIRED', 'certificate has expired', true],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate is self-signed; to trust it, start with NODE_EXTRA_CA_CERTS=FILE', true],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'certificate is self-signed; to trust it, start with NODE_EXTRA_CA_CERTS=FILE', true],
  [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'certificate is from an unknown authority; to trust it, start with NODE_EXTRA_CA_CERTS=FILE',
    true,
  ],
  [
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'certificate is from an unknown authority; to trust it, start with NODE_EXTRA_CA_CERTS=FILE',
    true,
  ],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate is for another host', true],
  ['EPROTO', 'the TLS handshake failed', true],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'the TLS handshake failed', true],
  ['ECONNRESET', 'connection reset', false],
  ['EPIPE', 'connection reset', false],
  ['UND_ERR_SOCKET', 'connection closed without a response', false],
  ['ETIMEDOUT', 'timed out after 1500 ms', false],
  ['UND_ERR_CONNECT_TIMEOUT', 'timed out after 1500 ms', false],
  ['UND_ERR_HEADERS_TIMEOUT', 'timed out after 1500 ms', false],
  ['EUNKNOWN', 'the message of Node', false],
])('describes %s as %j', (code, said, unreached) => {
  const error = describeError(Object.assign(new Error('the message of Node'), { code }), 1500);
  expect(error).toBe(said);
  expect(isUnreachable({ error })).toBe(unreached);
});

test.each([
  ['a thrown value that is not an error', 'connection refused', 'sending failed'],
  ['a code without a message', Object.assign(new Error(), { code: 'EUNKNOWN' }), 'sending failed (EUNKNOWN)'],
  ['a name without a message', new TypeError(), 'sending failed (TypeError)'],
  ['a code that is a number', Object.assign(new Error(), { code: 20 }), 'sending failed (Error)'],
  ['a long message', new Error('x'.repeat(201)), 'x'.repeat(200)],
])('describes %s', (_, error, said) => {
  expect(describeError(error, 1500)).toBe(said);
});

test('times out if the response is too slow', async () => {
  const url = await receive(() => undefined);
  expect(await createTestSender({ timeoutMs: 100 }).send(toDelivery(url))).toEqual({ error: 'timed out after 100 ms' });
});

test('times out if the TLS handshake is too slow', async () => {
  const url = await listen(createTcpServer((socket) => socket.resume()));
  const sender = createTestSender({ timeoutMs: 100 });
  expect(await sender.send(toDelivery(url.replace('http', 'https')))).toEqual({ error: 'timed out after 100 ms' });
});

test('a response body that never ends does not change the outcome', async () => {
  const url = await receive((_, response) => response.writeHead(200).write('a'));
  expect(await createTestSender({ timeoutMs: 100 }).send(toDelivery(url))).toEqual({ status: 200 });
});

test('reads only the beginning of a response of 10 MB', async () => {
  let completed = false;
  let ended: Promise<unknown> = Promise.resolve();
  const url = await receive((_, response) => {
    ended = once(response, 'close');
    response.on('finish', () => {
      completed = true;
    });
    response.writeHead(200).write(Buffer.alloc(10_000_000), () => response.end());
  });
  expect(await createTestSender().send(toDelivery(url))).toEqual({ status: 200 });
  await ended;
  expect(completed).toBe(false);
});

test.each<[string, (socket: Socket) => unknown]>([
  ['connection reset', (socket) => socket.resetAndDestroy()],
  ['connection closed without a response', (socket) => socket.end()],
  ['the response is not HTTP', (socket) => socket.end('220 mail ready\r\n')],
])('reports: %s', async (error, answer) => {
  const url = await listen(createTcpServer((socket) => socket.once('data', () => answer(socket))));
  expect(await createTestSender().send(toDelivery(url))).toEqual({ error });
});

test('reports a refused connection, and a receiver without TLS', async () => {
  expect(await createTestSender().send(toDelivery(refused()))).toEqual({ error: 'connection refused' });
  const url = (await answerWith(200)).replace('http', 'https');
  expect(await createTestSender().send(toDelivery(url))).toEqual({ error: 'the TLS handshake failed' });
});

test.each([
  [['169.254.169.254'], '169.254.169.254'],
  [['127.0.0.1', '169.254.169.254'], '169.254.169.254'],
  [['::ffff:169.254.169.254'], '::ffff:169.254.169.254'],
  [['fd00:ec2::254', '127.0.0.1'], 'fd00:ec2::254'],
  [['169.254.169.254'], '169.254.169.254', false],
])('sends nothing to a name that resolves to %j', async (addresses, forbidden, triesBoth = true) => {
  let calls = 0;
  endings.push(async () => setDefaultAutoSelectFamily(usual));
  const usual = getDefaultAutoSelectFamily();
  setDefaultAutoSelectFamily(triesBoth);
  const url = await receive((_, response) => {
    calls += 1;
    response.end();
  });
  const sender = createTestSender({ lookup: resolveTo(...addresses) });
  const outcome = await sender.send(toDelivery(url.replace('127.0.0.1', 'rebound.example')));
  expect(outcome).toEqual({ error: `address ${forbidden} is forbidden for callbacks` });
  expect(isUnreachable(outcome)).toBe(true);
  expect(calls).toBe(0);
});

test('the signal cancels an attempt at any stage', async () => {
  const controller = new AbortController();
  const url = await receive(() => controller.abort());
  const sender = createTestSender();
  const delivery = toDelivery(url, { signal: controller.signal });
  expect(await sender.send(delivery)).toEqual({ error: 'cancelled' });
  expect(await sender.send(delivery)).toEqual({ error: 'cancelled' });
  const resolving = new AbortController();
  const other = createTestSender({ lookup: () => resolving.abort() });
  const slow = toDelivery('http://slow.example/', { signal: resolving.signal });
  expect(await other.send(slow)).toEqual({ error: 'cancelled' });
});

test('an invalid header is a result, not an exception', async () => {
  const url = await answerWith(200);
  const outcome = await createTestSender().send(toDelivery(url, { headers: { 'x-a': 'a\r\nb: c' } }));
  expect(outcome).toEqual({ error: expect.stringContaining('invalid') });
});

/** Where callbacks go when names and addresses play tricks, and what a receiver can do to the sandbox by its answer. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { checkCallbackUrl, isForbiddenAddress } from '../../src/callbacks/address.ts';
import { createSender } from '../../src/callbacks/send.ts';
import { useReceiver } from '../harness/receiver.ts';
import { freshProject, type TestSandbox, useSandbox } from '../harness/sandbox.ts';

const receiver = useReceiver();
const sandbox = useSandbox();
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

test.each([
  ['Amazon, Google, Azure, OpenStack, DigitalOcean, Hetzner, IBM', 'http://169.254.169.254/'],
  ["Amazon's containers", 'http://169.254.170.2/'],
  ["Amazon's pods", 'http://169.254.170.23/'],
  ["Amazon's pods, IPv6", 'http://[fd00:ec2::23]/'],
  ['Tencent', 'http://169.254.0.23/'],
  ['Scaleway', 'http://169.254.42.42/'],
  ['Scaleway, IPv6', 'http://[fd00:42::42]/'],
  ['Oracle', 'http://192.0.0.192/'],
  ['Oracle, IPv6', 'http://[fd00:c1::a9fe:a9fe]/'],
  ["Azure's host agent", 'http://168.63.129.16/'],
  ['Alibaba', 'http://100.100.100.200/'],
  ['octal with a port', 'http://0251.254.169.254:80/'],
  ['hexadecimal, mapped', 'http://[::ffff:a9fe:a9fe]:80/'],
  ['6to4, written out', 'http://[2002:a9fe:a9fe:0:0:0:0:0]/'],
])('the metadata service of %s is never called: %s', async (_of, url) => {
  expect(checkCallbackUrl(url, [])).toMatch(/is forbidden for callbacks/);
  const answer = await sandbox.control('PUT', `/projects/${freshProject()}/callback-endpoint`, { url });
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: '/url' }] } });
});

describe('a host name', () => {
  const port = () => new URL(receiver.url()).port;
  const resolving = (...answers: readonly string[][]): { lookup: LookupFunction; asked(): number } => {
    let asked = 0;
    const lookup: LookupFunction = (_name, _options, callback) => {
      const addresses = answers[asked] ?? [];
      asked += 1;
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    };
    return { lookup, asked: () => asked };
  };
  const deliver = (lookup: LookupFunction) => {
    const sender = createSender({ allow: [], timeoutMs: 5000, lookup });
    closing.push(() => void sender.close());
    return () => sender.send({ url: `http://moving.example:${port()}/`, headers: {}, body: '{}' });
  };

  test('is resolved once per attempt, and the checked address is the one that is called', async () => {
    const { lookup, asked } = resolving(['127.0.0.1'], ['169.254.169.254'], ['127.0.0.1']);
    const send = deliver(lookup);
    expect(await send()).toEqual({ status: 204 });
    expect(asked()).toBe(1);
    expect(await send()).toEqual({ error: 'address 169.254.169.254 is forbidden for callbacks' });
    expect(await send()).toEqual({ status: 204 });
    expect(asked()).toBe(3);
    expect(receiver.received).toHaveLength(2);
  });

  test('with several addresses is not called if one of them is forbidden, in any spelling', async () => {
    const spellings = [
      '169.254.169.254',
      '::ffff:169.254.169.254',
      '::169.254.169.254',
      '64:ff9b::a9fe:a9fe',
      'fe80::1',
    ];
    for (const spelling of spellings) {
      expect(isForbiddenAddress(spelling)).toBe(true);
      for (const addresses of [
        ['127.0.0.1', spelling],
        [spelling, '127.0.0.1'],
      ]) {
        expect(await deliver(resolving(addresses).lookup)()).toEqual({
          error: `address ${spelling} is forbidden for callbacks`,
        });
      }
    }
    expect(receiver.received).toHaveLength(0);
  });
});

test('a redirect by an allowed host is not followed', async () => {
  const { hostname, port } = new URL(receiver.url());
  const location = `http://${hostname}:${port}/elsewhere`;
  const redirecting = createServer((_request, response) => response.writeHead(307, { location }).end());
  closing.push(() => redirecting.close());
  redirecting.listen(0, '127.0.0.1');
  await once(redirecting, 'listening');
  const url = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}/`;
  const sender = createSender({ allow: [], timeoutMs: 5000 });
  closing.push(() => void sender.close());
  expect(await sender.send({ url, headers: {}, body: '{}' })).toEqual({ status: 307 });
  expect(receiver.received).toHaveLength(0);
});

describe('the response of a receiver', () => {
  const apiKeys = ['partner=own'];
  const open = useSandbox({ adminToken: 'token', apiKeys });
  const limited = useSandbox({ adminToken: 'token', apiKeys, callbackAllow: '127.0.0.1' });
  const admin = { authorization: 'Bearer token' };
  const partner = { apikey: 'partner' };

  /** Returns what a client reads of a callback whose receiver responds with a text. */
  async function readAs(client: Record<string, string>, of: TestSandbox) {
    const control = (method: string, path: string, body?: unknown) =>
      of.control(method, `/projects/own${path}`, body, client);
    await control('POST', '/reset');
    await control('PUT', '/clock', { mode: 'frozen' });
    await control('PUT', '/callback-endpoint', { url: receiver.url() });
    const headers = { 'x-inside': 'inside-of-it', 'retry-after': 'inside-of-it' };
    receiver.handle(() => ({ status: 500, headers, body: Buffer.from('inside-of-it') }));
    await of.api('POST', '/async/projects/own/jobs', { jobs: [{ id: 'FAIL-1' }] }, { apikey: 'partner' });
    await control('POST', '/clock/advance', { by: '1s' });
    const all = await control('GET', '/callbacks');
    const one = `/callbacks/${all.body.items[0].id}`;
    const others = [
      await control('GET', one),
      await control('POST', `${one}/redeliver`),
      await control('GET', '/recording'),
    ];
    others.push(await control('GET', '/callbacks?view=rows'));
    return { attempt: all.body.items[0].attempts[0], texts: [all, ...others].map(({ text }) => text) };
  }

  test('is not shown to a key of projects, unless callbacks are limited to hosts', async () => {
    const { attempt, texts } = await readAs(partner, open);
    expect(attempt).toMatchObject({ status: 500, response: { headers: {}, durationMs: expect.any(Number) } });
    expect(attempt.response.body).toContain('--callback-allow');
    expect(texts.join('')).not.toContain('inside-of-it');
    const { response } = (await readAs(partner, limited)).attempt;
    expect(response).toMatchObject({ headers: { 'x-inside': 'inside-of-it' }, body: 'inside-of-it' });
  });

  test('is shown with the admin token, but is in no recording', async () => {
    const { attempt, texts } = await readAs(admin, open);
    expect(attempt.response.body).toBe('inside-of-it');
    expect(texts.map((text) => text?.includes('inside-of-it'))).toEqual([true, true, true, false, false]);
  });
});

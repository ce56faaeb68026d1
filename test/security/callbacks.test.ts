/** Where callbacks go when names and addresses play tricks, and what a receiver can do to the sandbox by its answer. */
import type { LookupFunction } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createSender } from '../../src/callbacks/send.ts';
import { useReceiver } from '../harness/receiver.ts';
import { type TestSandbox, useSandbox } from '../harness/sandbox.ts';

const receiver = useReceiver();
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
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

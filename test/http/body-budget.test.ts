/** The bodies that are being read share a bound of bytes, which is free again once each was read or refused. */
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createBodyReader } from '../../src/http/body.ts';
import { BodyBudget } from '../../src/usage/shares.ts';

type Read = ReturnType<typeof createBodyReader>;

/** Starts to send a body of this many bytes: its first part. */
function send(read: Read, size: number, first = size, key?: string) {
  const headers = { 'content-type': 'application/json', 'content-length': String(size) };
  const sent = Object.assign(new PassThrough(), { headers });
  const body = read(sent as unknown as Parameters<Read>[0], ['application/json'], key);
  sent.write('x'.repeat(first));
  return { sent, body };
}

test('a body beyond the remaining budget gets 503 and releases its bytes', async () => {
  const budget = new BodyBudget(100);
  const read = createBodyReader(80, budget);
  const slow = send(read, 80, 60);
  const other = send(read, 80, 30);
  other.sent.write('y'.repeat(30));
  expect(await other.body).toMatchObject({ problem: { kind: 'unavailable', headers: { 'retry-after': '1' } } });
  const late = send(read, 40);
  late.sent.end();
  expect(await late.body).toMatchObject({ text: 'x'.repeat(40) });
  slow.sent.end('x'.repeat(20));
  expect(await slow.body).toMatchObject({ text: 'x'.repeat(80) });
  expect(budget.open().take(100)).toBe(true);
});

test('a body larger than the whole budget gets 413 with that limit', async () => {
  const message =
    'the body must be at most 70 bytes, got 80. This limit is an eighth of --memory: send a smaller body, or raise --memory';
  const { body } = send(createBodyReader(90, new BodyBudget(70.5)), 80);
  expect(await body).toEqual({ problem: { kind: 'tooLarge', message } });
});

test('an aborted body releases its bytes', async () => {
  const budget = new BodyBudget(100);
  const { sent, body } = send(createBodyReader(80, budget), 80, 60);
  await new Promise(setImmediate);
  sent.destroy(new Error('aborted'));
  expect(await body).toHaveProperty('problem');
  expect(budget.open().take(100)).toBe(true);
});

test.each([undefined, 'gzip'])('a client that has left before its body is read (coding: %s)', async (coding) => {
  const headers = { 'content-type': 'application/json', 'content-length': '9', 'content-encoding': coding };
  const left = Object.assign(new PassThrough().destroy(), { headers });
  const body = createBodyReader(80, new BodyBudget(100))(left as never, ['application/json']);
  expect(await body).toMatchObject({ problem: { message: expect.stringContaining('the body is incomplete') } });
});

test('one API key takes at most half of the budget, except with a single body', async () => {
  const read = createBodyReader(80, new BodyBudget(100));
  const large = send(read, 60, 60, 'a');
  expect(await send(read, 10, 10, 'a').body).toMatchObject({ problem: { kind: 'unavailable' } });
  const other = send(read, 30, 30, 'b');
  for (const { sent } of [large, other]) sent.end();
  expect([await large.body, await other.body]).toMatchObject([{ text: 'x'.repeat(60) }, { text: 'x'.repeat(30) }]);
});

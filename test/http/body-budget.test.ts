/** The bodies that are being read share a bound of bytes, which is free again once each was read or refused. */
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createBodyReader } from '../../src/http/body.ts';
import { createBodyBudget } from '../../src/usage/body-budget.ts';

function request(size: number) {
  const headers = { 'content-type': 'application/json', 'content-length': String(size) };
  return Object.assign(new PassThrough(), { headers });
}
type Request = Parameters<ReturnType<typeof createBodyReader>>[0];

test('a body beyond the remaining budget gets 503 and releases its bytes', async () => {
  const budget = createBodyBudget(100);
  const read = createBodyReader(80, budget);
  const types = ['application/json'];
  const [slow, other, late] = [request(80), request(80), request(80)];
  const slowBody = read(slow as unknown as Request, types);
  slow.write('x'.repeat(60));
  const otherBody = read(other as unknown as Request, types);
  other.write('y'.repeat(30));
  other.write('y'.repeat(30));
  expect(await otherBody).toMatchObject({ problem: { kind: 'unavailable', headers: { 'retry-after': '1' } } });
  const lateBody = read(late as unknown as Request, types);
  late.end('z'.repeat(40));
  expect(await lateBody).toMatchObject({ size: 40 });
  slow.end('x'.repeat(20));
  expect(await slowBody).toMatchObject({ size: 80 });
  expect(budget.open().take(100)).toBe(true);
});

test('a body larger than the whole budget gets 413 with that limit', async () => {
  const body = request(80);
  const read = createBodyReader(90, createBodyBudget(70.5));
  expect(await read(body as unknown as Request, ['application/json'])).toEqual({
    problem: {
      kind: 'tooLarge',
      message:
        'the body must be at most 70 bytes, got 80. This limit is an eighth of --memory: send a smaller body, or raise --memory',
    },
  });
});

test('an aborted body releases its bytes', async () => {
  const budget = createBodyBudget(100);
  const broken = request(80);
  const body = createBodyReader(80, budget)(broken as unknown as Request, ['application/json']);
  broken.write('x'.repeat(60));
  await new Promise((done) => setImmediate(done));
  broken.destroy(new Error('aborted'));
  expect(await body).toHaveProperty('problem');
  expect(budget.open().take(100)).toBe(true);
});

test('one API key takes at most half of the budget, except with a single body', async () => {
  const budget = createBodyBudget(100);
  const read = createBodyReader(80, budget);
  const types = ['application/json'];
  const send = (size: number, key: string) => {
    const sent = request(size);
    const body = read(sent as unknown as Request, types, key);
    sent.write('x'.repeat(size));
    return { sent, body };
  };
  const large = send(60, 'a');
  expect(await send(10, 'a').body).toMatchObject({ problem: { kind: 'unavailable' } });
  const other = send(30, 'b');
  for (const { sent } of [large, other]) sent.end();
  expect([await large.body, await other.body]).toMatchObject([{ size: 60 }, { size: 30 }]);
});

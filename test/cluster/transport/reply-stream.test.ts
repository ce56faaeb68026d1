/** A reply from another replica: it ends when it ends there, and leaves nothing open here. */
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { readComplete, readOn } from '../../../src/cluster/transport/reply-stream.ts';

function createSource(head: object, body: string): PassThrough {
  const source = new PassThrough();
  source.write(`${JSON.stringify({ status: 200, headers: {}, length: body.length, ...head })}\n${body}`);
  return source;
}

test('a complete reply keeps whether it has a body', async () => {
  const read = (head: object, body: string) => readComplete(new Response(`${JSON.stringify(head)}\n${body}`));
  const head = { status: 200, headers: {} };
  expect(await read({ ...head, hasBody: true }, 'a\nb')).toEqual({ ...head, body: 'a\nb' });
  expect(await read({ ...head, hasBody: true }, '')).toEqual({ ...head, body: '' });
  expect(await read({ ...head, hasBody: false }, '')).toEqual({ ...head, body: undefined });
});

test('a fault ends when it ends at the other replica', async () => {
  const source = createSource({ fault: 'hang' }, '');
  const { fault } = await readOn(source, () => source.destroy());
  const ended = new Promise<void>((resolve) => fault?.onEnd(resolve));
  source.end();
  await ended;
});

test('a fault ends when the other replica ends', async () => {
  const source = createSource({ fault: 'hang' }, '');
  const { fault } = await readOn(source, () => source.destroy());
  const ended = new Promise<void>((resolve) => fault?.onEnd(resolve));
  source.destroy(new Error('connection reset'));
  await ended;
});

test('a client that leaves drops the connection', async () => {
  const source = createSource({ fault: 'drip' }, 'slow');
  const { fault } = await readOn(source, () => source.destroy());
  fault?.onEnd(() => undefined)();
  expect(source.destroyed).toBe(true);
});

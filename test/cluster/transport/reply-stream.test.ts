/** A reply from another replica: it ends when it ends there, and leaves nothing open here. */
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { readReply } from '../../../src/cluster/transport/reply-stream.ts';

function createSource(head: object, body: string): PassThrough {
  const source = new PassThrough();
  source.write(`${JSON.stringify({ status: 200, headers: {}, length: body.length, ...head })}\n${body}`);
  return source;
}

test('the stream closes when its end arrives after the reply', async () => {
  const source = createSource({}, 'done');
  const reply = await readReply(source, () => source.destroy());
  expect(reply).toEqual({ status: 200, headers: {}, body: 'done' });
  source.end();
  await once(source, 'close');
});

test('a fault ends when it ends at the other replica', async () => {
  const source = createSource({ fault: 'hang' }, '');
  const { fault } = await readReply(source, () => source.destroy());
  const ended = new Promise<void>((resolve) => fault?.onEnd(resolve));
  source.end();
  await ended;
});

test('a fault ends when the other replica ends', async () => {
  const source = createSource({ fault: 'hang' }, '');
  const { fault } = await readReply(source, () => source.destroy());
  const ended = new Promise<void>((resolve) => fault?.onEnd(resolve));
  source.destroy(new Error('connection reset'));
  await ended;
});

test('a client that leaves drops the connection', async () => {
  const source = createSource({ fault: 'drip' }, 'slow');
  const { fault } = await readReply(source, () => source.destroy());
  fault?.onEnd(() => undefined)();
  expect(source.destroyed).toBe(true);
});

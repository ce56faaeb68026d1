/** A reply passes between replicas unchanged: it ends when it ends there, and leaves nothing open here. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createPeerClient } from '../../../src/cluster/transport/peer-client.ts';
import { listenForPeers } from '../../../src/cluster/transport/peer-server.ts';
import type { Fault, Reply } from '../../../src/http/reply.ts';
import { send } from '../../../src/http/write-response.ts';
import { createTestWall } from '../../harness/wall.ts';

/** Sends a reply from one replica to another. */
async function pass(reply: Reply): Promise<{ readonly reply: Reply; closeOwner(): Promise<void> }> {
  const { port, answer, close } = await listenForPeers({
    ...{ host: '127.0.0.1', port: 0 },
    reportError: (error) => expect.fail(String(error)),
  });
  answer('secret', () => Promise.resolve(reply));
  const client = createPeerClient('secret');
  onTestFinished(async () => {
    await client.close();
    await close();
  });
  const sent = await client.send(`http://127.0.0.1:${port}`, {}, '');
  if (sent.kind !== 'reply') throw new Error(`it got ${sent.kind}`);
  return { reply: sent.reply, closeOwner: close };
}

/** A fault, and what ends it at its owner; `left` resolves when the client has left. */
function createFault(kind: Fault['kind']) {
  let end: () => void = () => undefined;
  let leave: () => void = () => undefined;
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const fault: Fault = {
    kind,
    onEnd: (given) => {
      end = given;
      return leave;
    },
  };
  return { fault, left, end: () => end() };
}

const plain = { status: 201, headers: { 'x-one': 'ü\u{1f69a}', 'x-long': 'x'.repeat(40_000) } };

test.each(['a\nb ü\u{1f69a}', '', undefined])(
  'a complete reply keeps its body %j, its status and its headers',
  async (body) => {
    expect((await pass({ ...plain, body })).reply).toEqual({ ...plain, body });
  },
);

test('a body in pieces arrives in order', async () => {
  const { reply } = await pass({ ...plain, body: undefined, pieces: ['a', 'ü'.repeat(100_000), 'z'] });
  const chunks: Buffer[] = [];
  for await (const chunk of reply.pieces ?? []) chunks.push(Buffer.from(chunk));
  expect(Buffer.concat(chunks).toString()).toBe(`a${'ü'.repeat(100_000)}z`);
});

test('many long pieces leave no listeners', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const pieces = Array.from({ length: 40 }, () => 'x'.repeat(100_000));
  const { reply } = await pass({ ...plain, body: undefined, pieces });
  let size = 0;
  for await (const chunk of reply.pieces ?? []) size += chunk.length;
  expect([size, warnings]).toEqual([4_000_000, []]);
});

/** Sends a reply to a client that reads no body, or that has left. */
async function sendUnread(reply: Reply, method: string): Promise<void> {
  const request = Object.assign(new IncomingMessage(new Socket()), { method });
  if (method !== 'HEAD') request.socket.destroy();
  await send(new ServerResponse(request), reply, createTestWall());
}

test.each(['HEAD', 'GET'])('pieces that nobody reads after a %s end at their owner', async (method) => {
  const left = new Promise<void>((leave) => {
    function* pieces() {
      try {
        for (;;) yield 'x'.repeat(100_000);
      } finally {
        leave();
      }
    }
    void pass({ status: 200, headers: {}, body: undefined, pieces: pieces() }).then(({ reply }) =>
      sendUnread(reply, method),
    );
  });
  await left;
});

test('a fault for a client that has left ends at its owner', async () => {
  const { fault, left } = createFault('hang');
  const { reply } = await pass({ ...plain, body: undefined, fault });
  await sendUnread(reply, 'POST');
  await left;
});

test('a stream goes on until its owner ends it', async () => {
  const { reply } = await pass({
    ...plain,
    body: undefined,
    stream: ({ write, end }) => {
      write('one ü');
      setImmediate(() => {
        write(' two');
        end();
      });
      return () => undefined;
    },
  });
  const texts: string[] = [];
  await new Promise<void>((end) => void reply.stream?.({ write: (text) => texts.push(text), end }));
  expect(texts.join('')).toBe('one ü two');
});

test('a stream stops when the client leaves', async () => {
  const stopped = new Promise<void>((stop) => {
    const stream: Reply['stream'] = () => stop;
    void pass({ ...plain, body: undefined, stream }).then(({ reply }) =>
      reply.stream?.({ write: () => undefined, end: () => undefined })(),
    );
  });
  await stopped;
});

test.each(['', 'slow'])('a fault after the body %j ends when it ends at its owner', async (body) => {
  const { fault, end } = createFault('hang');
  const { reply } = await pass({ ...plain, body, fault });
  expect(reply).toMatchObject({ ...plain, body, fault: { kind: 'hang' } });
  const ended = new Promise<void>((resolve) => reply.fault?.onEnd(resolve));
  end();
  await ended;
});

test('a fault ends when its owner ends', async () => {
  const { fault } = createFault('hang');
  const { reply, closeOwner } = await pass({ ...plain, body: undefined, fault });
  expect(reply.body).toBeUndefined();
  const ended = new Promise<void>((resolve) => reply.fault?.onEnd(resolve));
  await closeOwner();
  await ended;
});

test('a client that leaves a fault ends it at its owner', async () => {
  const { fault, left } = createFault('drip');
  const { reply } = await pass({ ...plain, body: 'slow', fault });
  reply.fault?.onEnd(() => undefined)();
  await left;
});

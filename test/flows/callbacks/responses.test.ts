/** What an attempt reads of a receiver: interim responses are skipped, and nothing is read without end. */
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { pour, useRawReceiver } from '../../harness/raw-receiver.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { failLater, frozenProject, onlyCallback } from './steps.ts';

const sandbox = useSandbox();
const receiver = useRawReceiver();

const final = 'HTTP/1.1 204 No Content\r\n\r\n';
const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload\r\n\r\n';
const large = `HTTP/1.1 103 Early Hints\r\nlink: </${'a'.repeat(15_000)}>\r\n\r\n`;

/** Delivers one callback with a single attempt, and returns the attempt. */
async function attempt() {
  const project = await frozenProject(sandbox, receiver.url());
  await failLater(sandbox, project);
  await sandbox.advance(project, '1s');
  const { state, attempts } = await onlyCallback(sandbox, project);
  expect(attempts).toHaveLength(1);
  return { state, status: attempts[0]?.status, error: attempts[0]?.error };
}

test.each([
  ['100', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['100, again and again', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)],
  ['102', 'HTTP/1.1 102 Processing\r\n\r\n'],
  ['103 with headers', hints],
  ['103 of 60 kB in total', large.repeat(4)],
  ['a status without a meaning', 'HTTP/1.1 199 Later\r\nx-step: 1\r\n\r\n'],
  ['several kinds', `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n${hints}`],
])('an interim response is skipped: %s', async (_, interim) => {
  receiver.answer((socket) => socket.end(interim + final));
  expect(await attempt()).toEqual({ state: 'delivered', status: 204, error: undefined });
});

test('an interim response in pieces is skipped', async () => {
  receiver.answer((socket) => {
    socket.write('HTTP/1.1 100 Con');
    setImmediate(() => socket.end(`tinue\r\n\r\n${final}`));
  });
  expect(await attempt()).toMatchObject({ state: 'delivered', status: 204 });
});

const tooMany = 'the receiver sent more than 100 interim responses (1xx)';
const tooLong = 'the head of the response is longer than 16 kB';

test.each<[string, string, (socket: Socket) => unknown]>([
  ['endless 100', tooMany, (socket) => pour(socket, 'HTTP/1.1 100 Continue\r\n\r\n')],
  ['endless 102', tooMany, (socket) => pour(socket, 'HTTP/1.1 102 Processing\r\n\r\n')],
  ['endless 103', tooMany, (socket) => pour(socket, hints)],
  ['101 interim responses', tooMany, (socket) => socket.end(hints.repeat(101) + final)],
  [
    'large interim responses',
    'the receiver sent more than 80 kB without a final response',
    (socket) => pour(socket, large),
  ],
  [
    'endless headers',
    tooLong,
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      pour(socket, 'x-more: y\r\n');
    },
  ],
  [
    'an endless header',
    tooLong,
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx-more: ');
      pour(socket, 'y');
    },
  ],
  ['an endless status line', tooLong, (socket) => pour(socket, 'HTTP/1.1 200 ')],
  [
    'endless headers of an interim response',
    tooLong,
    (socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\n');
      pour(socket, 'x-more: y\r\n');
    },
  ],
  [
    '101',
    'the receiver switched protocols (101)',
    (socket) => socket.write('HTTP/1.1 101 Switching\r\nupgrade: other\r\nconnection: upgrade\r\n\r\n'),
  ],
  ['a connection that closes after 100', 'connection closed without a response', (socket) => socket.end(hints)],
])('an attempt fails because of %s: %s', async (_, error, answer) => {
  receiver.answer(answer);
  expect(await attempt()).toEqual({ state: 'scheduled', status: undefined, error });
  expectLittleRead();
  await receiver.closed();
});

test.each([
  ['chunks', '1\r\nx\r\n'],
  ['chunk extensions', `1;${'x'.repeat(10_000)}\r\nx\r\n`],
  ['a chunk extension', '1;x=', 'x'],
  ['trailers', '0\r\n', 'x-more: y\r\n'],
  ['a trailer', '0\r\nx-more: ', 'y'],
  ['data after the end', '0\r\n\r\n', final],
])('the status counts if what follows has no end: %s', async (_, start, more = start) => {
  receiver.answer((socket) => {
    socket.write(chunked + start);
    pour(socket, more);
  });
  expect(await attempt()).toEqual({ state: 'delivered', status: 200, error: undefined });
  expectLittleRead();
  await receiver.closed();
});

/** Buffers of the operating system take some megabytes that nobody reads. */
function expectLittleRead(): void {
  expect(receiver.written()).toBeLessThan(20_000_000);
}

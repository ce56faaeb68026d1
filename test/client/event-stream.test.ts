import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AnswerError } from '../../src/client/client.ts';
import { EventReader } from '../../src/client/event-stream.ts';

const stream = `: connected
id: a-1

id: a-2
event: callback
data: {"id":"ü: 1\u2028"}

: keep-alive

id: a-3
event: change
data: {}

`;

const events = [
  { kind: 'callback', text: '{"id":"ü: 1\u2028"}' },
  { kind: 'change', text: '{}' },
];

test.each([['\n'], ['\r\n']])('events may be split anywhere, with line ends %j', (end) => {
  const text = stream.replaceAll('\n', end);
  fc.assert(
    fc.property(fc.array(fc.nat(text.length), { maxLength: 6 }), (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), text.length];
      const reader = new EventReader();
      const read = places.slice(1).flatMap((to, index) => reader.read(text.slice(places[index], to)));
      expect(read).toEqual(events);
      expect(reader.lastId).toBe('a-3');
    }),
  );
});

test('an id counts only once its event is complete', () => {
  const reader = new EventReader('a-0');
  expect(reader.lastId).toBe('a-0');
  reader.read(': connected\nid: a-1\n\nid: a-2\nevent: callback\ndata: {"id"');
  expect(reader.lastId).toBe('a-1');
});

test('an event may be as large as a callback of 10,000 failures', () => {
  const reader = new EventReader();
  const piece = 'x'.repeat(100_000);
  reader.read('data: ');
  for (let pieces = 0; pieces < 20; pieces += 1) reader.read(piece);
  expect(reader.read('\n\n')).toEqual([{ kind: 'message', text: piece.repeat(20) }]);
});

test('an endless line is an error that ends the stream for good, so that it does not fill the memory', () => {
  const reader = new EventReader();
  const readAll = (): void => {
    for (let pieces = 0; pieces < 20; pieces += 1) reader.read('x'.repeat(1_000_000));
  };
  expect(readAll).toThrow(AnswerError);
  expect(readAll).toThrow('an event is longer than 16 MB');
});

/** Log lines that cannot be written are dropped and counted. */
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createLogSink } from '../../../src/cli/output/log.ts';

const createCounters = () => ({ logLinesDropped: 0, errorsEscaped: 0 });

/** Creates a stream whose writes end when the test ends them. */
function createSubject() {
  const counters = createCounters();
  const writes: { readonly text: string; end(error?: Error): void }[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, end) => void writes.push({ text, end }),
  });
  return { counters, writes, print: createLogSink(() => stream, counters) };
}

test('up to 4 MB wait for a slow reader, and further lines are dropped', () => {
  const { counters, writes, print } = createSubject();
  const line = `${'x'.repeat(1023)}\n`;
  for (let count = 0; count < 10_000; count += 1) print(line);
  // 4 MB wait, and the line that goes beyond them.
  expect(counters.logLinesDropped).toBe(10_000 - 4097);
  expect(writes).toHaveLength(1);
  for (let count = 0; count < 4097; count += 1) writes[count]?.end();
  print(line);
  expect(writes.length).toBeGreaterThan(1);
});

test('a line is dropped if the stream throws', () => {
  const counters = createCounters();
  const stream = new Writable();
  stream.write = () => {
    throw new Error('EBADF');
  };
  createLogSink(() => stream, counters)('one\n');
  expect(counters.logLinesDropped).toBe(1);
});

test('the sinks of many trials add one listener to their stream', () => {
  const stream = new Writable({ write: (_text, _encoding, end) => end() });
  for (let trial = 0; trial < 20; trial += 1) createLogSink(() => stream, createCounters())('one\n');
  expect(stream.listenerCount('error')).toBe(1);
});

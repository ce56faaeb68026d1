/** A project as a whole and the lines of its changes give its state. Damage of them: damage.test.ts. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCallback, maxCallbacks } from '../../../../src/callbacks/callback.ts';
import type { ProjectState } from '../../../../src/project/state.ts';
import { toFailures } from '../../../harness/failures.ts';
import { createStoredProject, linesOf, readProject, step, toValue } from '../stored-project.ts';

const read = (...files: Parameters<typeof readProject>): ProjectState => readProject(...files).state;

test('the whole and the lines after it give the state at any moment', async () => {
  const turn = fc.array(step, { maxLength: 4 });
  let lineCount = 0;
  await fc.assert(
    fc.asyncProperty(turn, fc.array(turn, { maxLength: 6 }), async (before, turns) => {
      const stored = createStoredProject();
      for (const each of before) await each(stored);
      let text = stored.toText();
      let lines = '';
      for (const turn of turns) {
        for (const each of turn) await each(stored);
        const line = stored.toLines();
        if (line === undefined) {
          // An endpoint that a receiver has ended is rare: the whole is written then.
          text = stored.toText();
          lines = '';
        } else {
          lines += line;
          lineCount += 1;
        }
        expect(toValue(read(text, lines))).toEqual(toValue(stored.state));
      }
    }),
    { numRuns: 60, seed: 20_261_121 },
  );
  expect(lineCount).toBeGreaterThan(30);
});

const long = (count: number, length: number) =>
  Array.from({ length: count }, (_, n) => ({ id: `M-${n}`, notes: 'x'.repeat(length) }));

test('a line contains only what has changed of many records, counts and due work', () => {
  const stored = createStoredProject();
  const { state } = stored;
  stored.ask('syncImportOrders', { orders: long(200, 100) });
  for (let n = 0; n < 1000; n += 1) {
    state.ruleCounts.set(`project/many#${n}`, { met: 5, acted: 5, firstDeed: 1, window: { from: 0, used: 5 } });
    state.requestTallies.set(`project/many#${n}`, 7);
  }
  const what = { kind: 'release', group: 'g' } as const;
  for (let order = 0; order < 10_000; order += 1) state.due.add({ dueAt: order, order, what });
  const text = stored.toText();

  stored.put({ id: 'O-1' });
  const first = stored.toLines() ?? '';
  expect(first).toContain('"O-1"');
  expect(first).not.toContain('M-1');

  Object.assign(state.ruleCounts.get('project/many#7')?.window ?? {}, { used: 6 });
  state.requestTallies.set('project/many#8', 8);
  const second = stored.toLines() ?? '';
  expect(second.match(/many#\d+/g)).toEqual(['many#7', 'many#8']);
  state.ruleCounts.delete('project/many#9');
  state.requestTallies.clear();

  const removeFirst = () => state.due.removeFirst(state.due.first() as NonNullable<ReturnType<typeof state.due.first>>);
  const third = stored.toLines() ?? '';
  state.due.removeWhere(({ order }) => order === 5000);
  state.due.add({ dueAt: 5000, order: 10_001, what });
  removeFirst();
  state.due.add({ dueAt: 20_000, order: 10_002, what });
  // It was run before it was written.
  state.due.add({ dueAt: 0, order: 10_003, what });
  removeFirst();
  const fourth = stored.toLines() ?? '';
  expect(fourth.length).toBeLessThan(400);
  expect(toValue(read(text, first + second + third + fourth))).toEqual(toValue(state));
});

test('a count that has not changed is not turned into text', () => {
  const stored = createStoredProject();
  let texts = 0;
  const toJSON = () => {
    texts += 1;
    return { met: 1, acted: 0 };
  };
  const count = Object.defineProperty({ met: 1, acted: 0 }, 'toJSON', { value: toJSON });
  stored.state.ruleCounts.set('project/many#1', count);
  stored.toText();
  stored.toLines();
  texts = 0;
  stored.put({ id: 'O-1' });
  expect(stored.toLines()).not.toContain('many#1');
  expect(texts).toBe(0);
});

test('a part of the state that is gone is gone in the lines', () => {
  const stored = createStoredProject();
  stored.state.rateWindow = { from: 1, used: 1 };
  const text = stored.toText();
  delete stored.state.rateWindow;
  expect(read(text, stored.toLines()).rateWindow ?? undefined).toBeUndefined();
});

test('long changes need several lines, which are valid only with the last one', () => {
  const stored = createStoredProject();
  const text = stored.toText();
  stored.ask('syncImportOrders', { orders: long(3000, 300) });
  const lines = linesOf(stored.toLines() ?? '');
  expect(lines.length).toBeGreaterThan(2);
  expect(read(text, lines.slice(0, -1)).records.orders.size).toBe(0);
  expect(toValue(read(text, lines))).toEqual(toValue(stored.state));
});

test('no piece of a file or a log line contains more than one long record', () => {
  const stored = createStoredProject();
  const mega = 1024 ** 2;
  stored.toText();
  for (const order of long(20, mega)) stored.put(order);
  // Otherwise all of it could be longer than any text can be.
  for (const write of [stored.toLines, stored.toText]) {
    expect(write()?.length).toBeGreaterThan(20 * mega);
    expect(Math.max(...stored.lengths)).toBeLessThan(1.5 * mega);
  }
});

test('does not restore evicted callbacks', async () => {
  const stored = createStoredProject();
  const { state } = stored;
  for (let n = 1; n < maxCallbacks + 98; n += 1) {
    const callback = createCallback(toFailures({ change: n, requestId: `before_${n}` }));
    callback.state = 'inbox';
    state.callbacks.set(callback.id, callback);
  }
  const text = stored.toText();
  let lines = '';
  for (const id of ['FAIL-1', 'FAIL-2', 'FAIL-3', 'FAIL-4']) {
    stored.ask('asyncImportJobs', { jobs: [{ id }] }, { failed: new Map([[1, { reason: 'no' }]]) });
    await stored.advance(1000);
    lines += stored.toLines() ?? '';
  }
  expect(state.callbacks.size).toBe(maxCallbacks + 1);
  expect([...read(text, lines).callbacks.keys()]).toEqual([...state.callbacks.keys()]);
});

test.each<[string, (state: ProjectState) => void]>([
  ['an endpoint', (state) => Object.assign(state, { endpoint: { url: 'http://x', secret: 's', disabled: false } })],
  ['other scenarios', (state) => Object.assign(state, { scenarios: [{ name: 'x', rules: [] }] })],
  ['other records in place of all', (state) => Object.assign(state, { records: { ...state.records } })],
])('%s needs the whole project', (_, change) => {
  const stored = createStoredProject();
  expect(stored.toLines()).toBeUndefined();
  stored.toText();
  change(stored.state);
  expect(stored.toLines()).toBeUndefined();
});

test('leaves out zeros after its last line', () => {
  const stored = createStoredProject();
  const text = stored.toText();
  stored.put({ id: 'O-1' });
  expect(read(text, `${stored.toLines()}\0\0\0`).records.orders.size).toBe(1);
});

/** A project's file and the lines of its log together give its state. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCallback, maxCallbacks } from '../../../../src/callbacks/callback.ts';
import { runAll } from '../../../../src/lib/slices.ts';
import { toProjectText } from '../../../../src/project/persistence/format/file-content.ts';
import { createChangeLog } from '../../../../src/project/persistence/log/change-log.ts';
import { readSavedProject } from '../../../../src/project/persistence/saved-project.ts';
import type { ProjectState } from '../../../../src/project/state.ts';
import { toFailures } from '../../../harness/failures.ts';
import { answer, type Step, step } from '../../../harness/project-steps.ts';
import { toValue } from '../../../harness/state-value.ts';
import { createStandaloneProject } from '../../../harness/test-project.ts';

/** Sorts the counts: a count that was reset is last in the state, but at its old place in the lines. */
function throughJson(state: ProjectState) {
  // After a start, numbers of lines continue behind those that a paused server may still write.
  const { lineCount: _, ...value } = toValue(state);
  const toSorted = <Count>(counts: readonly (readonly [string, Count])[]) =>
    Object.entries(Object.fromEntries(counts)).sort();
  return { ...value, ruleCounts: toSorted(value.ruleCounts), requestTallies: toSorted(value.requestTallies) };
}

/** Splits a text into its lines, each with its line end. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** Creates a project whose changes are tracked. */
function createNotedWorld() {
  const log = createChangeLog();
  const adapter = { read: () => Promise.resolve(null), write: () => Promise.resolve() };
  const tracker = {
    adapter,
    trackWrites: log.trackWrites,
    trackCallback: log.trackCallback,
    changed: () => undefined,
    persisted: () => undefined,
  };
  const lone = createStandaloneProject({}, answer, undefined, tracker);
  let edition = '';
  const onEnd = (written: string) => {
    edition = written;
  };
  const begin = (): string => {
    log.begin(lone.world.state);
    return [...toProjectText({ project: 'p', state: lone.world.state, onEnd }, undefined)].join('');
  };
  const toLine = (): string | undefined => {
    const lines = log.toLines(lone.world.state, 'p', edition);
    return lines && [...lines].join('');
  };
  return { begin, toLine, lone };
}

/** Reads a file and its log. */
function read(text: string, lines: string | readonly string[] = ''): ProjectState {
  const log = typeof lines === 'string' ? linesOf(lines) : lines;
  return runAll(readSavedProject(linesOf(text), log, 'p.json', undefined)).state;
}

test('file and log give the state at any moment', async () => {
  const turn = fc.array(step, { maxLength: 4 });
  let lineCount = 0;
  await fc.assert(
    fc.asyncProperty(turn, fc.array(turn, { maxLength: 6 }), async (before, turns) => {
      const { begin, toLine, lone } = createNotedWorld();
      for (const each of before) await each(lone);
      let text = begin();
      let lines = '';
      for (const turn of turns) {
        for (const each of turn) await each(lone);
        const line = toLine();
        if (line === undefined) {
          // An endpoint that a receiver has ended is rare: the whole is written then.
          text = begin();
          lines = '';
        } else {
          lines += line;
          lineCount += 1;
        }
        const state = read(text, lines);
        expect(throughJson(state)).toEqual(throughJson(lone.world.state));
      }
    }),
    { numRuns: 60, seed: 20_261_121 },
  );
  expect(lineCount).toBeGreaterThan(30);
});

const importOne: Step = (lone) => lone.ask('syncImportOrders', { orders: [{ id: 'O-1' }] });

test('a line contains only what has changed', () => {
  const { begin, toLine, lone } = createNotedWorld();
  const many = Array.from({ length: 200 }, (_, n) => ({ id: `M-${n}`, notes: 'x'.repeat(100) }));
  lone.ask('syncImportOrders', { orders: many });
  begin();
  importOne(lone);
  const line = toLine() ?? '';
  expect(line).toContain('"O-1"');
  expect(line).not.toContain('M-1');
  expect(line.endsWith('\n')).toBe(true);
});

test('a line contains only the changed counts of many', () => {
  const { begin, toLine, lone } = createNotedWorld();
  const { state } = lone.world;
  for (let n = 0; n < 1000; n += 1) {
    state.ruleCounts.set(`project/many#${n}`, { met: 5, acted: 5, firstDeed: 1, window: { from: 0, used: 5 } });
    state.requestTallies.set(`project/many#${n}`, 7);
  }
  const text = begin();
  Object.assign(state.ruleCounts.get('project/many#7')?.window ?? {}, { used: 6 });
  state.requestTallies.set('project/many#8', 8);
  const line = toLine() ?? '';
  expect(line.match(/many#\d+/g)).toEqual(['many#7', 'many#8']);
  state.ruleCounts.delete('project/many#9');
  state.requestTallies.clear();
  const resumed = read(text, line + toLine());
  expect([resumed.ruleCounts, resumed.requestTallies]).toEqual([state.ruleCounts, state.requestTallies]);
});

test('a line contains only the changed due work of much', () => {
  const { begin, toLine, lone } = createNotedWorld();
  const { state } = lone.world;
  const instruction = { kind: 'release', group: 'g' } as const;
  for (let order = 0; order < 10_000; order += 1) state.due.add({ dueAt: order, order, what: instruction });
  const text = begin();
  state.due.removeWhere(({ order }) => order === 5000);
  state.due.add({ dueAt: 5000, order: 10_001, what: instruction });
  state.due.removeFirst(state.due.first() as NonNullable<ReturnType<typeof state.due.first>>);
  state.due.add({ dueAt: 20_000, order: 10_002, what: instruction });
  // It was run before it was written.
  state.due.add({ dueAt: 0, order: 10_003, what: instruction });
  state.due.removeFirst(state.due.first() as NonNullable<ReturnType<typeof state.due.first>>);
  const line = toLine() ?? '';
  expect(line.length).toBeLessThan(400);
  const resumed = read(text, line);
  expect([...resumed.due]).toEqual([...state.due]);
});

test('long changes need several lines, which are valid only with the last one', () => {
  const { begin, toLine, lone } = createNotedWorld();
  const text = begin();
  const many = Array.from({ length: 3000 }, (_, n) => ({ id: `M-${n}`, notes: 'x'.repeat(300) }));
  lone.ask('syncImportOrders', { orders: many });
  const lines = linesOf(toLine() ?? '');
  expect(lines.length).toBeGreaterThan(2);
  const short = read(text, lines.slice(0, -1));
  expect(short.records.orders.size).toBe(0);
  const whole = read(text, lines);
  expect(throughJson(whole)).toEqual(throughJson(lone.world.state));
});

test('does not restore evicted callbacks', async () => {
  const { begin, toLine, lone } = createNotedWorld();
  const { state } = lone.world;
  for (let n = 1; n < maxCallbacks + 98; n += 1) {
    const callback = createCallback(toFailures({ change: n, requestId: `before_${n}` }));
    callback.state = 'inbox';
    state.callbacks.set(callback.id, callback);
  }
  const text = begin();
  let lines = '';
  for (const id of ['FAIL-1', 'FAIL-2', 'FAIL-3', 'FAIL-4']) {
    lone.ask('asyncImportJobs', { jobs: [{ id }] }, { failed: new Map([[1, { reason: 'no' }]]) });
    await lone.advance(1000);
    lines += toLine() ?? '';
  }
  expect(state.callbacks.size).toBe(maxCallbacks + 1);
  const resumed = read(text, lines);
  expect([...resumed.callbacks.keys()]).toEqual([...state.callbacks.keys()]);
});

test.each<[string, (state: ProjectState) => void]>([
  ['an endpoint', (state) => Object.assign(state, { endpoint: { url: 'http://x', secret: 's', disabled: false } })],
  ['other scenarios', (state) => Object.assign(state, { scenarios: [{ name: 'x', rules: [] }] })],
  ['other records in place of all', (state) => Object.assign(state, { records: { ...state.records } })],
])('%s needs a whole file', (_, change) => {
  const { begin, toLine, lone } = createNotedWorld();
  expect(toLine()).toBeUndefined();
  begin();
  change(lone.world.state);
  expect(toLine()).toBeUndefined();
});

test('leaves out a log that has been merged into its file, and a write that is cut off', () => {
  const { begin, toLine, lone } = createNotedWorld();
  const before = begin();
  importOne(lone);
  const line = toLine() ?? '';
  const after = begin();
  expect(throughJson(read(after, line))).toEqual(throughJson(read(after)));
  expect(read(before, line.slice(0, -1)).records.orders.size).toBe(0);
  expect(read(before, `${line}\0\0\0`).records.orders.size).toBe(1);
});

test('a damaged, lost, doubled or moved line is reported with its number', () => {
  const { begin, toLine, lone } = createNotedWorld();
  const text = begin();
  const lines = Array.from({ length: 3 }, (_, n) => {
    lone.ask('syncImportOrders', { orders: [{ id: `O-${n}` }] });
    return toLine() ?? '';
  });
  const [first = '', second = '', third = ''] = lines;
  const mistakes: readonly (readonly [string[], string])[] = [
    [[first, second.replace('O-1', 'O-7'), third], 'line 2: its checksum does not fit'],
    [[first, '{"of":"x","n":1}\n', third], 'line 2: it has no checksum'],
    [[first, '\0\0\n', third], 'line 2: it has no checksum'],
    [[second, third], 'line 1: expected change'],
    [[first, third], 'line 2: expected change'],
    [[first, second, second, third], 'line 3: expected change'],
    [[first, third, second], 'line 2: expected change'],
  ];
  for (const [damaged, message] of mistakes) expect(() => read(text, damaged)).toThrow(message);
  begin();
  importOne(lone);
  expect(() => read(text, [first, toLine() ?? ''])).toThrow('line 2: it follows another version of the file');
  expect(() => read(text, [toLine() ?? ''])).toThrow('line 1: it follows another version of the file');
});

/** A project's file and the lines of its log together give its state. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCallback, maxCallbacks } from '../../../../src/callbacks/callback.ts';
import { runAll } from '../../../../src/lib/slices.ts';
import { readProjectLines, toProjectText } from '../../../../src/project/persistence/format/file-content.ts';
import { applyLog } from '../../../../src/project/persistence/log/apply-log.ts';
import { createChangeLog } from '../../../../src/project/persistence/log/change-log.ts';
import type { ProjectState } from '../../../../src/project/state.ts';
import { toFailures } from '../../../harness/failures.ts';
import { answer, type Step, step } from '../../../harness/project-steps.ts';
import { toValue } from '../../../harness/state-value.ts';
import { createStandaloneProject, type StandaloneProject } from '../../../harness/test-project.ts';

/** Sorts the counts: a count that was reset is last in the state, but at its old place in the lines. */
function throughJson(state: ProjectState) {
  const value = toValue(state);
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
  const toLine = (state: ProjectState, of: string): string | undefined => {
    const lines = log.toLines(state, of);
    return lines && [...lines].join('');
  };
  return { log: { ...log, toLine }, lone: createStandaloneProject({}, answer, undefined, tracker) };
}

const write = ({ world: project }: StandaloneProject, edition = 'e') =>
  [...toProjectText({ project: 'p', edition, data: project.state }, undefined)].join('');
const read = (text: string) => runAll(readProjectLines(linesOf(text), 'p.json', undefined)).data;

test('file and log give the state at any moment', async () => {
  const turn = fc.array(step, { maxLength: 4 });
  let lineCount = 0;
  await fc.assert(
    fc.asyncProperty(turn, fc.array(turn, { maxLength: 6 }), async (before, turns) => {
      const { log, lone } = createNotedWorld();
      for (const each of before) await each(lone);
      let text = write(lone);
      let lines = '';
      log.begin(lone.world.state);
      for (const turn of turns) {
        for (const each of turn) await each(lone);
        const line = log.toLine(lone.world.state, 'e');
        if (line === undefined) {
          // An endpoint that a receiver has ended is rare: the whole is written then.
          text = write(lone);
          lines = '';
          log.begin(lone.world.state);
        } else {
          lines += line;
          lineCount += 1;
        }
        const state = read(text);
        runAll(applyLog(state, 'e', linesOf(lines)));
        expect(throughJson(state)).toEqual(throughJson(lone.world.state));
      }
    }),
    { numRuns: 60, seed: 20_261_121 },
  );
  expect(lineCount).toBeGreaterThan(30);
});

const importOne: Step = (lone) => lone.ask('syncImportOrders', { orders: [{ id: 'O-1' }] });

test('a line contains only what has changed', () => {
  const { log, lone } = createNotedWorld();
  const many = Array.from({ length: 200 }, (_, n) => ({ id: `M-${n}`, notes: 'x'.repeat(100) }));
  lone.ask('syncImportOrders', { orders: many });
  log.begin(lone.world.state);
  importOne(lone);
  const line = log.toLine(lone.world.state, 'e') ?? '';
  expect(line).toContain('"O-1"');
  expect(line).not.toContain('M-1');
  expect(line.endsWith('\n')).toBe(true);
});

test('a line contains only the changed counts of many', () => {
  const { log, lone } = createNotedWorld();
  const { state } = lone.world;
  for (let n = 0; n < 1000; n += 1) {
    state.ruleCounts.set(`project/many#${n}`, { met: 5, acted: 5, firstDeed: 1, window: { from: 0, used: 5 } });
    state.requestTallies.set(`project/many#${n}`, 7);
  }
  const text = write(lone);
  log.begin(state);
  Object.assign(state.ruleCounts.get('project/many#7')?.window ?? {}, { used: 6 });
  state.requestTallies.set('project/many#8', 8);
  const line = log.toLine(state, 'e') ?? '';
  expect(line.match(/many#\d+/g)).toEqual(['many#7', 'many#8']);
  state.ruleCounts.delete('project/many#9');
  state.requestTallies.clear();
  const resumed = read(text);
  runAll(applyLog(resumed, 'e', linesOf(line + log.toLine(state, 'e'))));
  expect([resumed.ruleCounts, resumed.requestTallies]).toEqual([state.ruleCounts, state.requestTallies]);
});

test('a line contains only the changed due work of much', () => {
  const { log, lone } = createNotedWorld();
  const { state } = lone.world;
  const instruction = { kind: 'release', group: 'g' } as const;
  for (let order = 0; order < 10_000; order += 1) state.due.add({ dueAt: order, order, what: instruction });
  const text = write(lone);
  log.begin(state);
  state.due.removeWhere(({ order }) => order === 5000);
  state.due.add({ dueAt: 5000, order: 10_001, what: instruction });
  state.due.removeFirst(state.due.first() as NonNullable<ReturnType<typeof state.due.first>>);
  state.due.add({ dueAt: 20_000, order: 10_002, what: instruction });
  // It was run before it was written.
  state.due.add({ dueAt: 0, order: 10_003, what: instruction });
  state.due.removeFirst(state.due.first() as NonNullable<ReturnType<typeof state.due.first>>);
  const line = log.toLine(state, 'e') ?? '';
  expect(line.length).toBeLessThan(400);
  const resumed = read(text);
  runAll(applyLog(resumed, 'e', linesOf(line)));
  expect([...resumed.due]).toEqual([...state.due]);
});

test('long changes need several lines, which are valid only with the last one', () => {
  const { log, lone } = createNotedWorld();
  const text = write(lone);
  log.begin(lone.world.state);
  const many = Array.from({ length: 3000 }, (_, n) => ({ id: `M-${n}`, notes: 'x'.repeat(300) }));
  lone.ask('syncImportOrders', { orders: many });
  const lines = linesOf(log.toLine(lone.world.state, 'e') ?? '');
  expect(lines.length).toBeGreaterThan(2);
  const short = read(text);
  runAll(applyLog(short, 'e', lines.slice(0, -1)));
  expect(short.records.orders.size).toBe(0);
  const whole = read(text);
  runAll(applyLog(whole, 'e', lines));
  expect(throughJson(whole)).toEqual(throughJson(lone.world.state));
});

test('does not restore evicted callbacks', async () => {
  const { log, lone } = createNotedWorld();
  const { state } = lone.world;
  for (let n = 1; n < maxCallbacks + 98; n += 1) {
    const callback = createCallback(toFailures({ change: n, requestId: `before_${n}` }));
    callback.state = 'inbox';
    state.callbacks.set(callback.id, callback);
  }
  const text = write(lone);
  log.begin(state);
  let lines = '';
  for (const id of ['FAIL-1', 'FAIL-2', 'FAIL-3', 'FAIL-4']) {
    lone.ask('asyncImportJobs', { jobs: [{ id }] }, { failed: new Map([[1, { reason: 'no' }]]) });
    await lone.advance(1000);
    lines += log.toLine(state, 'e') ?? '';
  }
  expect(state.callbacks.size).toBe(maxCallbacks + 1);
  const resumed = read(text);
  runAll(applyLog(resumed, 'e', linesOf(lines)));
  expect([...resumed.callbacks.keys()]).toEqual([...state.callbacks.keys()]);
});

test.each<[string, (state: ProjectState) => void]>([
  ['an endpoint', (state) => Object.assign(state, { endpoint: { url: 'http://x', secret: 's', disabled: false } })],
  ['other scenarios', (state) => Object.assign(state, { scenarios: [{ name: 'x', rules: [] }] })],
  ['other records in place of all', (state) => Object.assign(state, { records: { ...state.records } })],
])('%s needs a whole file', (_, change) => {
  const { log, lone } = createNotedWorld();
  expect(log.toLine(lone.world.state, 'e')).toBeUndefined();
  log.begin(lone.world.state);
  change(lone.world.state);
  expect(log.toLine(lone.world.state, 'e')).toBeUndefined();
});

test('ignores lines of another edition, and a truncated line', () => {
  const { log, lone } = createNotedWorld();
  const text = write(lone, 'new');
  log.begin(lone.world.state);
  importOne(lone);
  const old = log.toLine(lone.world.state, 'old') ?? '';
  const state = read(text);
  runAll(applyLog(state, 'new', linesOf(old + old.replace('"old"', '"new"').slice(0, -1))));
  expect(state.records.orders.size).toBe(0);
  runAll(applyLog(state, 'new', linesOf(old.replace('"old"', '"new"'))));
  expect(state.records.orders.size).toBe(1);
});

test.each([
  ['no JSON', '{"of":'],
  ['no line of a log', '{"of":"e"}'],
  ['null', 'null'],
])('a complete line that is %s is reported with its number', (_, line) => {
  const { log, lone } = createNotedWorld();
  const text = write(lone);
  log.begin(lone.world.state);
  importOne(lone);
  const good = log.toLine(lone.world.state, 'e') ?? '';
  expect(() => runAll(applyLog(read(text), 'e', linesOf(`${good}${line}\n${good}`)))).toThrow('line 2');
});

test('ignores bad lines of the write during a power loss, but not of writes before it', () => {
  const { log, lone } = createNotedWorld();
  const text = write(lone);
  log.begin(lone.world.state);
  importOne(lone);
  const first = log.toLine(lone.world.state, 'e') ?? '';
  lone.ask('syncImportOrders', {
    orders: Array.from({ length: 3000 }, (_, n) => ({ id: `M-${n}`, notes: 'x'.repeat(300) })),
  });
  const long = linesOf(log.toLine(lone.world.state, 'e') ?? '');
  expect(long.length).toBeGreaterThan(2);
  for (let n = 0; n < long.length; n += 1) {
    const state = read(text);
    runAll(applyLog(state, 'e', [first, ...long.with(n, `${'\0'.repeat(4096)}\n`)]));
    expect([...state.records.orders.keys()]).toEqual(['O-1']);
  }
  for (const after of [long, [first], [first, first]])
    expect(() => runAll(applyLog(read(text), 'e', [first, '\0\n', ...after]))).toThrow('line 2');
});

/** A world's text and the lines of its log together are the world, whatever happened between the lines. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCallback, mostCallbacks } from '../src/callbacks/callback.ts';
import type { WorldData } from '../src/world-data.ts';
import { fromWorldText, toWorldText } from '../src/world-file.ts';
import { carryOutLog, createWorldLog } from '../src/world-log.ts';
import { toValue } from '../src/world-value.ts';
import { toFailures } from './harness/failures.ts';
import { createLoneWorld, type LoneWorld } from './harness/world.ts';
import { answer, type Step, step } from './harness/world-steps.ts';

const throughJson = (data: WorldData) => JSON.parse(JSON.stringify(toValue(data))) as unknown;

/** A world whose changes are noted. */
function createNotedWorld() {
  const log = createWorldLog();
  const adapter = { read: () => Promise.resolve(null), write: () => Promise.resolve() };
  const keeping = { adapter, wrote: log.wrote, touched: log.touched, changed: () => undefined, kept: () => undefined };
  return { log, lone: createLoneWorld({}, answer, undefined, keeping) };
}

const write = ({ world }: LoneWorld, edition = 'e') =>
  toWorldText({ project: 'p', edition, data: world.data }, undefined);
const read = (text: string) => fromWorldText(text, 'p.json', undefined).data;

test('text and lines together are the world, at any moment', async () => {
  const turn = fc.array(step, { maxLength: 4 });
  let lineCount = 0;
  await fc.assert(
    fc.asyncProperty(turn, fc.array(turn, { maxLength: 6 }), async (before, turns) => {
      const { log, lone } = createNotedWorld();
      for (const each of before) await each(lone);
      let text = write(lone);
      let lines = '';
      log.begin(lone.world.data);
      for (const turn of turns) {
        for (const each of turn) await each(lone);
        const line = log.toLine(lone.world.data, 'e');
        if (line === undefined) {
          // An endpoint that a receiver has ended is rare: the whole is written then.
          text = write(lone);
          lines = '';
          log.begin(lone.world.data);
        } else {
          lines += line;
          lineCount += 1;
        }
        const data = read(text);
        carryOutLog(data, 'e', lines);
        expect(throughJson(data)).toEqual(throughJson(lone.world.data));
      }
    }),
    { numRuns: 60, seed: 20_261_121 },
  );
  expect(lineCount).toBeGreaterThan(30);
});

const importOne: Step = (lone) => lone.ask('syncImportOrders', { orders: [{ id: 'O-1' }] });

test('a line says what has changed, and no more', () => {
  const { log, lone } = createNotedWorld();
  const many = Array.from({ length: 200 }, (_, n) => ({ id: `M-${n}`, notes: 'x'.repeat(100) }));
  lone.ask('syncImportOrders', { orders: many });
  log.begin(lone.world.data);
  importOne(lone);
  const line = log.toLine(lone.world.data, 'e') ?? '';
  expect(line).toContain('"O-1"');
  expect(line).not.toContain('M-1');
  expect(line.endsWith('\n')).toBe(true);
});

test('callbacks that were let go, since there were too many, do not come back', async () => {
  const { log, lone } = createNotedWorld();
  const { data } = lone.world;
  for (let n = 1; n < mostCallbacks + 98; n += 1) {
    const callback = createCallback(toFailures({ change: n, requestId: `before_${n}` }));
    callback.state = 'inbox';
    data.callbacks.set(callback.id, callback);
  }
  const text = write(lone);
  log.begin(data);
  let lines = '';
  for (const id of ['FAIL-1', 'FAIL-2', 'FAIL-3', 'FAIL-4']) {
    lone.ask('asyncImportJobs', { jobs: [{ id }] }, { failed: new Map([[1, { reason: 'no' }]]) });
    await lone.advance(1000);
    lines += log.toLine(data, 'e') ?? '';
  }
  expect(data.callbacks.size).toBe(mostCallbacks + 1);
  const resumed = read(text);
  carryOutLog(resumed, 'e', lines);
  expect([...resumed.callbacks.keys()]).toEqual([...data.callbacks.keys()]);
});

test.each<[string, (data: WorldData) => void]>([
  ['an endpoint', (data) => Object.assign(data, { endpoint: { url: 'http://x', secret: 's', disabled: false } })],
  ['other scenarios', (data) => Object.assign(data, { scenarios: [{ name: 'x', rules: [] }] })],
  ['other records in place of all', (data) => Object.assign(data, { records: { ...data.records } })],
])('%s can’t be said in a line', (_, change) => {
  const { log, lone } = createNotedWorld();
  expect(log.toLine(lone.world.data, 'e')).toBeUndefined();
  log.begin(lone.world.data);
  change(lone.world.data);
  expect(log.toLine(lone.world.data, 'e')).toBeUndefined();
});

test('lines of another text, and one that was cut off, change nothing', () => {
  const { log, lone } = createNotedWorld();
  const text = write(lone, 'new');
  log.begin(lone.world.data);
  importOne(lone);
  const old = log.toLine(lone.world.data, 'old') ?? '';
  const data = read(text);
  carryOutLog(data, 'new', old + old.replace('"old"', '"new"').slice(0, -1));
  expect(data.records.orders.size).toBe(0);
  carryOutLog(data, 'new', old.replace('"old"', '"new"'));
  expect(data.records.orders.size).toBe(1);
});

test.each([
  ['no JSON', '{"of":'],
  ['no line of a log', '{"of":"e"}'],
  ['null', 'null'],
])('a whole line that is %s is told of by its number', (_, line) => {
  const { log, lone } = createNotedWorld();
  const text = write(lone);
  log.begin(lone.world.data);
  importOne(lone);
  const good = log.toLine(lone.world.data, 'e') ?? '';
  expect(() => carryOutLog(read(text), 'e', `${good}${line}\n${good}`)).toThrow('line 2');
});

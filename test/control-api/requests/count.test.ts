/** Waiting for requests with an outcome: tests new and changed requests, and not the whole journal. */
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import type { ControlParts } from '../../../src/control-api/handler.ts';
import { countRequests } from '../../../src/control-api/requests/count.ts';
import type { RequestTests } from '../../../src/control-api/requests/filter.ts';
import { createJournal } from '../../../src/journal/journal.ts';
import { toEntry } from '../../harness/journal-entry.ts';
import { createTestWall } from '../../harness/wall.ts';

function createSubject() {
  const journal = createJournal();
  const wall = createTestWall();
  const events = new EventEmitter();
  const on = (name: string) => (listener: (...given: unknown[]) => void) => {
    events.on(name, listener);
    return () => events.off(name, listener);
  };
  const projects = { onCallback: on('callback'), onCommandApplied: on('applied') };
  const failed = new Set<string>();
  const tested: string[] = [];
  const quick: RequestTests['quick'] = ({ id, warnings }) => {
    tested.push(id);
    return failed.has(id) || warnings.length > 0;
  };
  const tests = { facets: {}, quick, slow: () => true, hasSlow: false, effectsOf: () => undefined };
  const parts = { journal, projects, wall } as unknown as ControlParts;
  for (let index = 1; index <= 1000; index += 1) journal.add(toEntry('p', String(index)));
  const counter = countRequests(parts, () => tests, { outcome: 'failed' }, 'p');
  const counts = { initial: counter.count(), changes: [] as number[] };
  const end = counter.subscribe((by) => counts.changes.push(by));
  tested.length = 0;
  return { ...{ journal, wall, events, failed, tested, counts, counter }, end: () => end() };
}

test('tests only requests that are new, or that callbacks, commands and warnings change', () => {
  const { journal, wall, events, failed, tested, counts } = createSubject();
  for (const id of ['400', '500', 'new']) failed.add(id);
  events.emit('callback', 'p', { requestId: '400' });
  events.emit('applied', 'p', '500');
  events.emit('applied', 'p', '500');
  events.emit('applied', 'another', '600');
  journal.add(toEntry('p', 'new'));
  journal.add(toEntry('another', 'elsewhere'));
  journal.warn('p', '700', ['a warning']);
  expect(tested).toEqual([]);
  wall.pass(100);
  expect(tested.toSorted()).toEqual(['400', '500', '700', 'new']);
  expect(counts).toEqual({ initial: 0, changes: [4] });
});

test('reports requests that match no longer, and nothing after its end', () => {
  const { wall, events, failed, counts, counter, end } = createSubject();
  failed.add('400');
  events.emit('applied', 'p', '400');
  wall.pass(100);
  failed.clear();
  events.emit('applied', 'p', '400');
  wall.pass(100);
  expect(counts.changes).toEqual([1, -1]);
  events.emit('applied', 'p', '400');
  end();
  expect(wall.timers()).toEqual([]);
  expect(counter.count()).toBe(0);
});

/** `copyState`: what a fork gets, even if the original goes on while the copy is written. */
import { expect, test } from 'vitest';
import { copyState } from '../../../src/project/fork/copy-state.ts';
import { createProjectState } from '../../../src/project/state.ts';
import { createBatch } from '../../../src/records/collection.ts';

const wall = { now: () => 0, elapsed: () => 0, after: () => () => undefined };

/** A clock that ends each slice after one step. */
function createSlowWall() {
  let elapsedMs = 0;
  return { ...wall, elapsed: () => (elapsedMs += 1000) };
}

function createState() {
  const state = createProjectState({ wall, clock: { mode: 'frozen', nowMs: 0 }, endpoint: undefined });
  const entry = { item: 1, id: 'A', value: { id: 'A', note: 'sent' } };
  const command = { requestId: 'req_1', operation: 'asyncImportJobs', failures: [], callbackRules: [] } as const;
  state.due.add({
    dueAt: 5,
    order: 0,
    what: { kind: 'instruction', instruction: { ...command, task: { entries: [entry] } } },
  });
  state.records.jobs.setUnread('J', createBatch('{"jobs":[{"id":"J","tags":["x"]}]}', 'jobs'), 0, {
    createdAt: 'then',
  });
  // Longer than a piece of the text, so that the due work is written later.
  state.records.routes.set('R', { id: 'R', note: 'x'.repeat(1_000_000) });
  state.ruleCounts.set('project/s/1', { met: 2, acted: 1 });
  return { state, entry };
}

const options = {
  to: 'copy',
  from: { project: 'p', change: 3 },
  seed: 'seed',
  endpoint: { url: 'http://127.0.0.1:9/', secret: 'whsec_x', disabled: false },
};

test('a fork has the state of the call, not later changes', async () => {
  const { state, entry } = createState();
  const copying = copyState(state, { ...options, wall: createSlowWall() });
  // As the original does when it applies the command.
  Object.assign(entry.value, { note: 'changed' });
  state.records.jobs.set('J', { id: 'J', changed: true });
  state.due.removeWhere(() => true);
  state.changeCount += 1;
  (state.ruleCounts.get('project/s/1') ?? { met: 0 }).met += 1;
  const copied = await copying;
  expect(copied).toMatchObject({ changeCount: 0, forkedFrom: options.from, endpoint: options.endpoint });
  expect([...copied.due]).toMatchObject([
    { what: { instruction: { task: { entries: [{ value: { note: 'sent' } }] } } } },
  ]);
  expect(copied.records.jobs.get('J')).toEqual({ id: 'J', tags: ['x'], createdAt: 'then' });
  expect(copied.ruleCounts.get('project/s/1')).toEqual({ met: 2, acted: 1 });
});

test('the original does not see changes of the fork', async () => {
  const { state, entry } = createState();
  const copied = await copyState(state, { ...options, wall });
  const [due] = copied.due;
  if (due?.what.kind === 'instruction')
    Object.assign(due.what.instruction.task.entries[0]?.value ?? {}, { note: 'changed' });
  Object.assign(copied.records.jobs.get('J')?.['tags'] ?? {}, ['changed']);
  Object.assign(copied.endpoint ?? {}, { disabled: true });
  expect(entry.value.note).toBe('sent');
  expect(state.records.jobs.get('J')).toEqual({ id: 'J', tags: ['x'], createdAt: 'then' });
  expect(options.endpoint.disabled).toBe(false);
});

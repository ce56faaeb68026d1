/** A project's file: the state of one instant, in pieces of limited length, also in its older version. */
import { expect, test } from 'vitest';
import { runAll } from '../../../../src/lib/slices.ts';
import { readProjectLines, toProjectText } from '../../../../src/project/persistence/format/file-content.ts';
import { applyLog } from '../../../../src/project/persistence/log/apply-log.ts';
import { createChangeLog } from '../../../../src/project/persistence/log/change-log.ts';
import { answer } from '../../../harness/project-steps.ts';
import { toValue } from '../../../harness/state-value.ts';
import { createStandaloneProject, type StandaloneProject } from '../../../harness/test-project.ts';

/** Creates a stored project. */
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
  return { log, lone: createStandaloneProject({}, answer, undefined, tracker) };
}

const write = ({ world: project }: StandaloneProject) =>
  toProjectText({ project: 'p', edition: 'e', data: project.state }, undefined);
const read = (lines: Iterable<string>) => runAll(readProjectLines(lines, 'p.json', undefined)).data;

test('no piece of a file or a log line contains more than one long record', () => {
  const { log, lone } = createNotedWorld();
  const { world: project } = lone;
  log.begin(project.state);
  const mega = 1024 * 1024;
  const notes = 'x'.repeat(mega);
  for (let n = 0; n < 20; n += 1) project.commit([{ put: { id: `J-${n}`, notes }, into: 'jobs', id: `J-${n}` }], 0);
  for (const text of [write(lone), log.toLines(project.state, 'e') ?? []]) {
    const lengths = Array.from(text, ({ length }) => length);
    // So all of it may be longer than any text can be.
    expect(Math.max(...lengths)).toBeLessThan(1.5 * mega);
    expect(lengths.length).toBeGreaterThanOrEqual(20);
  }
});

test('reads a file and a log of version 1', () => {
  const lone = createStandaloneProject();
  lone.ask('asyncImportJobs', { jobs: [{ id: 'A' }] });
  lone.ask('syncImportOrders', { orders: [{ id: 'O-1' }] });
  const project = toValue(lone.world.state);
  const file = { format: 'field-sandbox world', version: 1, project: 'p', edition: 'old-1', world: project };
  for (const text of [`${JSON.stringify(file)}\n`, JSON.stringify(file, null, 2)]) {
    const state = read(text.split(/(?<=\n)/));
    expect(toValue(state)).toEqual(project);
    const line = {
      of: 'old-1',
      set: { changeCount: 9, ruleCounts: [['project/x#0', { met: 1, acted: 1, firstDeed: 1, othersThen: {} }]] },
      records: { orders: [['O-2', { id: 'O-2' }]] },
      points: [['D', { point: { deviceId: 'D' }, at: 5 }]],
      callbacks: [],
      due: { gone: [0], added: [{ dueAt: 1, order: 7, what: { kind: 'release', group: 'g' } }] },
    };
    runAll(applyLog(state, 'old-1', [`${JSON.stringify(line)}\n`, '{"of":"old-0","set":{}']));
    expect([...state.records.orders.keys()]).toEqual(['O-1', 'O-2']);
    expect([...state.records.trails]).toEqual([['D', [{ point: { deviceId: 'D' }, at: 5 }]]]);
    expect(Array.from(state.due, ({ order }) => order)).toEqual([7]);
    expect([state.changeCount, state.ruleCounts.get('project/x#0')?.acted]).toEqual([9, 1]);
  }
});

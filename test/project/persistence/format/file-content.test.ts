/** A project's file: the state of one instant, in pieces of limited length, also in its older version. */
import { expect, test } from 'vitest';
import { runAll } from '../../../../src/lib/slices.ts';
import { readProjectLines, toProjectText } from '../../../../src/project/persistence/format/file-content.ts';
import { createChangeLog } from '../../../../src/project/persistence/log/change-log.ts';
import { answer } from '../../../harness/project-steps.ts';
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
  toProjectText({ project: 'p', state: project.state }, undefined);
const read = (lines: Iterable<string>) => runAll(readProjectLines(lines, 'p.json', undefined)).state;

test('no piece of a file or a log line contains more than one long record', () => {
  const { log, lone } = createNotedWorld();
  const { world: project } = lone;
  log.begin(project.state);
  const mega = 1024 * 1024;
  const notes = 'x'.repeat(mega);
  for (let n = 0; n < 20; n += 1) project.commit([{ put: { id: `J-${n}`, notes }, into: 'jobs', id: `J-${n}` }], 0);
  for (const text of [write(lone), log.toLines(project.state, 'p', 'e') ?? []]) {
    const lengths = Array.from(text, ({ length }) => length);
    // So all of it may be longer than any text can be.
    expect(Math.max(...lengths)).toBeLessThan(1.5 * mega);
    expect(lengths.length).toBeGreaterThanOrEqual(20);
  }
});

test('refuses files of versions that were never released', () => {
  for (const version of [1, 2, 3]) {
    const format = version < 3 ? 'field-sandbox world' : 'field-sandbox project';
    const file = { format, version, project: 'p', edition: 'old-1', world: {} };
    expect(() => read([`${JSON.stringify(file)}\n`])).toThrow(`line 1: unknown version: expected 4, got ${version}`);
  }
});

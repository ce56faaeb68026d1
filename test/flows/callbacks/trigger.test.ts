/** A callback that is triggered: without a request, and otherwise like any other. */
import { expect, test } from 'vitest';
import { useReceiver } from '../../harness/receiver.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { replayProject } from '../replay-steps.ts';
import { failLater, frozenProject, onlyCallback } from './steps.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });
const receiver = useReceiver();

test('a triggered callback is a change of the recording, which replays it byte for byte', async () => {
  const project = await frozenProject(sandbox, receiver.url());
  const triggered = { type: 'jobs.import.failed', failed: [{ id: 'A' }], data: { more: 1 }, forge: 'stale', copies: 2 };
  await sandbox.control('POST', `/projects/${project}/callbacks`, triggered);
  await failLater(sandbox, project);
  await sandbox.advance(project);
  const { body } = await sandbox.control('GET', `/projects/${project}/recording`);
  const kinds = body.changes.map(({ kind }: { kind: string }) => kind);
  expect(kinds.slice(2)).toEqual(['trigger', 'callback', 'request', 'callback', 'advance']);
  expect(await replayProject(sandbox, project)).toEqual({ requests: 1, callbacks: 2, differences: [] });
  const fork = `${project}-fork`;
  await sandbox.control('POST', `/projects/${project}/fork`, { to: fork, atChange: 4 });
  expect(await onlyCallback(sandbox, fork)).toMatchObject({ triggered: true, body: { data: { more: 1 } } });
});

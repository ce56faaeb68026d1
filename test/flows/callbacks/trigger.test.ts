/** A callback that is triggered: without a request, and otherwise like any other. */
import { describe, expect, test } from 'vitest';
import { useReceiver } from '../../harness/receiver.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { useFolders } from '../data-steps.ts';
import { replayProject } from '../replay-steps.ts';
import { verify } from './disturbance-steps.ts';
import { failLater, frozenProject, onlyCallback } from './steps.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });
const receiver = useReceiver();
const folders = useFolders();

const type = 'jobs.import.failed';

describe('a triggered callback', () => {
  test('is a change of the recording, which replays it byte for byte', async () => {
    const project = await frozenProject(sandbox, receiver.url());
    const triggered = { type, failed: [{ id: 'A' }], data: { more: 1 }, forge: 'stale', copies: 2 };
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

  test('is still sent after a restart with --data', async () => {
    const folder = folders.fresh();
    const first = await folders.start(folder);
    const path = '/projects/kept/callbacks';
    await first.control('PUT', '/projects/kept/clock', { mode: 'frozen' });
    await first.control('PUT', '/projects/kept/callback-endpoint', { url: receiver.url() });
    receiver.answer(500);
    const { body } = await first.control('POST', path, { type, forge: 'missing', data: { more: 1 } });
    await first.control('POST', '/projects/kept/clock/advance', { by: '1s' });
    await first.close();
    const second = await folders.start(folder);
    await second.control('POST', '/projects/kept/clock/advance', { until: 'idle' });
    const [sent, again] = receiver.received.map((one) => [verify(one), one.body]);
    expect(again).toEqual(sent);
    expect((await second.control('GET', `${path}/${body.id}`)).body).toMatchObject({
      state: 'delivered',
      triggered: true,
    });
    const next = (await second.control('POST', path, { type })).body;
    expect(next.id).not.toBe(body.id);
    await second.close();
  });
});

/** `trigger`: what its options put into the callback; golden/trigger.txt has the rest. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../../harness/cli.ts';
import { createFolder } from '../../harness/folder.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });
const receiver = useReceiver();
const folder = createFolder();

test('a callback has what the options say', async () => {
  const project = freshProject();
  await sandbox.control('PUT', `/projects/${project}/callback-endpoint`, { url: receiver.url() });
  const data = path.join(folder, 'data.json');
  writeFileSync(data, '{"subProjectId":"north"}');
  const args = ['--project', project, '--id', 'ORD-1', '--id', 'ORD-2', '--reason', 'No such street', '--data', data];
  const type = 'jobs.import.failed';
  const { code, out } = await runCommand(['trigger', type, ...args, '--wait', '10s', '--json'], {
    SANDBOX_URL: sandbox.url(),
  });
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ type, state: 'delivered', triggered: true, attempts: [{ status: 204 }] });
  expect(JSON.parse(receiver.received[0]?.body ?? '').data).toMatchObject({
    subProjectId: 'north',
    failed: [
      { id: 'ORD-1', reason: 'No such street' },
      { id: 'ORD-2', reason: 'No such street' },
    ],
  });
});

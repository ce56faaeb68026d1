/** Processes with `--data`: a callback is sent again after a crash, and one process at a time has a folder. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { ask } from '../../flows/data-steps.ts';
import { useProgram } from '../../harness/program.ts';
import { useReceiver } from '../../harness/receiver.ts';

const program = useProgram();
const receiver = useReceiver();
const folderOf = (name: string) => path.join(program.folder, name);

/** Starts a sandbox and waits until it is ready. */
const start = (folder: string, ...more: readonly string[]) =>
  program.startReady(['--log', 'off', '--data', folder, ...more]);

test('a process that was killed while it sent a callback sends it again with the same id', async () => {
  const folder = folderOf('sending');
  receiver.answer('hang');
  const first = await start(folder, '--callback-url', receiver.url());
  const told = await ask(`${first.url}/async/projects/p/jobs`, 'POST', { jobs: [{ id: 'J' }, { id: 'FAIL-1' }] });
  expect(told.status).toBe(202);
  await receiver.waitFor(1);
  first.child.kill('SIGKILL');
  await first.ended;
  const second = await start(folder, '--callback-url', receiver.url());
  await receiver.waitFor(2);
  const [one, other] = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(one).toBe(other);
  const project = `${second.url}/_sandbox/projects/p`;
  const { items } = (await ask(`${project}/callbacks?state=delivered&await=5s`, 'GET')).body;
  expect(items.map(({ id }: { id: string }) => id)).toEqual([one]);
  expect((await ask(`${project}/jobs`, 'GET')).body.items).toMatchObject([{ id: 'J' }]);
  second.child.kill('SIGTERM');
  await second.ended;
});

test('a folder in use by another process is rejected, unless that process was killed', async () => {
  const folder = folderOf('shared');
  const first = await start(folder);
  const second = await program.run(['--port', '0', '--data', folder]);
  expect(second).toMatchObject({ code: 2, out: '' });
  expect(second.err).toContain(`--data: ${folder} is in use by another sandbox (process ${first.child.pid})`);
  first.child.kill('SIGKILL');
  await first.ended;
  const third = await start(folder);
  third.child.kill('SIGTERM');
  await third.ended;
});

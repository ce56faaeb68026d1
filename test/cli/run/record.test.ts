/** `run --record`: recordings replay, and a signal ends a run with them; `cli/golden/run.txt` has the files. */
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../../harness/cli.ts';
import { useProgram } from '../../harness/program.ts';
import { script } from './script.ts';

const program = useProgram();
const inFolder = (name: string): string => path.join(program.folder, name);

test('recordings under a rule with scope: server replay too', async () => {
  const folder = inFolder('server');
  const scenario = inFolder('second.yaml');
  writeFileSync(
    scenario,
    'name: second\nrules:\n  - { scope: server, when: { request: { nth: 2 } }, then: { respond: { status: 503 } } }\n',
  );
  const text = "for (const project of ['a', 'b', 'c']) await jobs(1, project);";
  const { out } = await runCommand(['run', '--record', folder, '--scenario', scenario, '--', ...script(text)]);
  expect(out).toContain('asyncImportJobs: 202 × 2, 503 × 1');
  expect((await runCommand(['replay', folder])).out).toContain('0 of 3 recordings differ\n');
});

test('a run that a signal ends while work is pending writes them too', async () => {
  const folder = inFolder('signal');
  const receiver = createServer();
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  const { port } = receiver.address() as AddressInfo;
  const called = once(receiver, 'connection');
  const command = script("await send('POST', '/async/projects/p/jobs', { jobs: [{ id: 'FAIL-LATE-1' }] })");
  const url = `http://127.0.0.1:${port}`;
  const running = program.start(['run', '--record', folder, '--callback-url', url, '--', ...command]);
  const [socket] = (await called) as [Socket];
  running.child.kill('SIGTERM');
  const { code, out, err } = await running.ended;
  socket.destroy();
  receiver.close();
  expect({ code, out }).toEqual({ code: 143, out: '' });
  expect(err).toContain('SIGTERM: stopped while work was pending, so there is no report\n');
  expect(err).toContain(`1 recording\n  ${path.join(folder, 'p.json')}\n`);
  expect(existsSync(path.join(folder, 'p.json'))).toBe(true);
});

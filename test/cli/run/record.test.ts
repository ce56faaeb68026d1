/** `run --record`: recordings replay, and a signal ends a run with them; `cli/golden/run.txt` has the files. */
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../../harness/cli.ts';
import { useProgram } from '../../harness/program.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { script } from './script.ts';

const program = useProgram();
const receiver = useReceiver();
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
  receiver.answer('hang');
  const command = script("await send('POST', '/async/projects/p/jobs', { jobs: [{ id: 'FAIL-LATE-1' }] })");
  const running = program.start(['run', '--record', folder, '--callback-url', receiver.url(), '--', ...command]);
  await receiver.waitFor(1);
  running.child.kill('SIGTERM');
  const { code, out, err } = await running.ended;
  expect({ code, out }).toEqual({ code: 143, out: '' });
  expect(err).toContain('SIGTERM: stopped while work was pending, so there is no report\n');
  expect(err).toContain(`1 recording\n  ${path.join(folder, 'p.json')}\n`);
  expect(existsSync(path.join(folder, 'p.json'))).toBe(true);
});

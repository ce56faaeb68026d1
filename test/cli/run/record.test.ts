/** `run --record`: a signal ends a run with its recordings; `cli/golden/run.txt` has the files. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { useProgram } from '../../harness/program.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { script } from './script.ts';

const program = useProgram();
const receiver = useReceiver();

test('a run that a signal ends while work is pending writes them too', async () => {
  const folder = path.join(program.folder, 'signal');
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

/** `run` and signals; golden/run.txt has the rest. */
import { expect, test } from 'vitest';
import { useProgram } from '../../harness/program.ts';
import { script } from './script.ts';

const program = useProgram();

test('a signal is forwarded, and the command handles it', async () => {
  const waiting = "process.on('SIGTERM', () => process.exit(42)); setInterval(() => {}, 1e6); console.log('waiting')";
  const running = program.start(['run', '--', ...script(waiting)]);
  await running.waitForOutput('waiting');
  running.child.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ code: 42, out: expect.stringContaining('exited with 42') });
});

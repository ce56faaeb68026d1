import { describe, expect, test } from 'vitest';
import { runCommand } from '../../harness/cli.ts';
import { useProgram } from '../../harness/program.ts';
import { script } from './script.ts';

const program = useProgram();

describe('the exit of the command', () => {
  test('a signal is forwarded, and the command handles it', async () => {
    const waiting = "process.on('SIGTERM', () => process.exit(42)); setInterval(() => {}, 1e6); console.log('waiting')";
    const running = program.start(['run', '--', ...script(waiting)]);
    await running.waitForOutput('waiting');
    running.child.kill('SIGTERM');
    expect(await running.ended).toMatchObject({ code: 42, out: expect.stringContaining('exited with 42') });
  });

  test('its arguments and output are unchanged', async () => {
    const { out, err } = await program.run([
      'run',
      '--',
      'sh',
      '-c',
      'echo "$1" "$2"; echo oops >&2',
      'x',
      '--json',
      '--',
    ]);
    expect(out).toMatch(/^--json --\n/);
    expect(err).toContain('oops\n');
  });
});

test('the command gets only the key of --api-key, and the key is not shown', async () => {
  const { code, out, err } = await runCommand([
    ...['run', '--api-key', 'top-secret@eu=p,q', '--api-key', 'other', '--'],
    ...script("if (apikey !== 'top' + '-secret') process.exit(9); await jobs(1); await fetch(url + '/' + apikey)"),
    'top-secret',
  ]);
  expect(code).toBe(0);
  expect(out).toContain('asyncImportJobs: 202 × 1');
  expect(out + err).not.toContain('top-secret');
});

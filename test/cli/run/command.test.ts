import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCommand } from '../../harness/cli.ts';
import { useProgram } from '../../harness/program.ts';
import { script } from './script.ts';

const program = useProgram();

/** Writes a scenario file. */
function scenarioFile(name: string, text: string): string {
  const file = path.join(program.folder, `${name}.yaml`);
  writeFileSync(file, `name: ${name}\n${text}`);
  return file;
}

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

test('`after` applies to each project alone', async () => {
  const file = scenarioFile(
    'recovers',
    `rules:
  - name: down
    when: { request: { nth: 1 } }
    then: { respond: { status: 503 } }
expect:
  - requests: { status: 202, after: down, count: 1 }
`,
  );
  const { code, out } = await runCommand([
    ...['run', '--scenario', file, '--', ...script("await jobs(1, 'a'); await jobs(1, 'b'); await jobs(1, 'b')")],
  ]);
  expect(out).toContain('✓ down: fired 2 times\n');
  expect(out).toContain('✓ requests with status 202 after rule "down" fired: expected 1, got 1\n');
  expect(code).toBe(0);
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

/** `field-sandbox run` as a process: its command, its report, and its exit code. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCommand } from '../../harness/cli.ts';
import { useProgram } from '../../harness/program.ts';
import { script } from './script.ts';

const program = useProgram();
const third = 'geocoder-rejects-third-job';

/** Writes a scenario file. */
function scenarioFile(name: string, text: string): string {
  const file = path.join(program.folder, `${name}.yaml`);
  writeFileSync(file, `name: ${name}\n${text}`);
  return file;
}

describe('a rule that never fired gives exit code 1', () => {
  test.each([
    ['without a request', '', 'never fired; the sandbox received no requests'],
    ['with a rejected request', "await send('POST', '/async/projects/p/jobs', {})", 'the only request was rejected'],
  ])('%s', async (_, text, wanted) => {
    const { code, out } = await runCommand(['run', '--scenario', third, '--', ...script(text)]);
    expect(code).toBe(1);
    expect(out).toMatch(/ {2}✗ third job: never fired; /);
    expect(out).toMatch(wanted);
    expect(out).toMatch(/\nfailed: 1 rule never fired/);
  });
});

describe('the exit of the command', () => {
  test.each([
    ['its code is the exit code', ['sh', '-c', 'exit 7'], 7],
    ['also if a rule never fired', ['sh', '-c', 'exit 3'], 3],
    ['a signal gives 128 plus its number', ['sh', '-c', 'kill -KILL $$'], 137],
  ])('%s', async (_, command, wanted) => {
    const { code, out } = await runCommand(['run', '--scenario', third, '--', ...command]);
    expect(code).toBe(wanted);
    expect(out).toContain(`failed: the command exited with ${wanted}, 1 rule never fired`);
  });

  test('a signal is forwarded, and the command handles it', async () => {
    const waiting = "process.on('SIGTERM', () => process.exit(42)); setInterval(() => {}, 1e6); console.log('waiting')";
    const running = program.start(['run', '--', ...script(waiting)]);
    await running.waitForOutput('waiting');
    running.child.kill('SIGTERM');
    expect(await running.ended).toMatchObject({ code: 42, out: expect.stringContaining('exited with 42') });
  });

  test('a signal during a callback attempt ends the run without a report', async () => {
    const receiver = createServer();
    await once(receiver.listen(0, '127.0.0.1'), 'listening');
    const { port } = receiver.address() as AddressInfo;
    const called = once(receiver, 'connection');
    const command = script("await send('POST', '/async/projects/p/jobs', { jobs: [{ id: 'FAIL-LATE-1' }] })");
    const running = program.start(['run', '--callback-url', `http://127.0.0.1:${port}`, '--', ...command]);
    const [socket] = (await called) as [Socket];
    running.child.kill('SIGTERM');
    const { code, out, err } = await running.ended;
    socket.destroy();
    receiver.close();
    expect({ code, out }).toEqual({ code: 143, out: '' });
    expect(err).toContain('SIGTERM: stopped while work was pending, so there is no report\n');
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

test('the sandbox starts without projects, also with SANDBOX_DEMO', async () => {
  const count = script("process.exitCode = (await (await control('GET', '/projects')).json()).items.length");
  expect((await runCommand(['run', '--', ...count], { SANDBOX_DEMO: 'true' })).code).toBe(0);
});

/** `field-sandbox run` as a process: its command, its report, and its exit code. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { useProgram } from '../../harness/program.ts';
import { script } from './script.ts';

const program = useProgram();
const third = 'geocoder-rejects-third-job';

/** A rule for scenarios that only need expectations. */
const rules = 'rules:\n  - { name: there, then: { latency: 1ms } }\n';

/** Writes a scenario file. */
function scenarioFile(name: string, text: string): string {
  const file = path.join(program.folder, `${name}.yaml`);
  writeFileSync(file, `name: ${name}\n${text}`);
  return file;
}

test('a passed run: the command gets URL and key, pending work is completed, and the report says so', async () => {
  const { code, out, err } = await program.run([
    ...['run', '--scenario', third, '--', ...script("console.log('mine', url, apikey, (await jobs(3)).status)")],
  ]);
  expect(code).toBe(0);
  expect(out).toMatch(/^mine http:\/\/127\.0\.0\.1:\d+ sandbox-key 202\n\n/);
  expect(out).toContain(`${third}\n  ✓ third job: fired once\n  ✓ failed callbacks`);
  expect(out).toContain('1 callback\n  jobs.import.failed: inbox × 1\n');
  expect(out).toContain('1 request\n  asyncImportJobs: 202 × 1\n');
  expect(out).toMatch(/\npassed: .*\n$/);
  expect(err.trim().split('\n')).toHaveLength(2);
  expect(out + err).not.toContain('\u001b');
});

test('an unmet expectation gives exit code 1, with the actual count', async () => {
  const file = scenarioFile('retries', `${rules}expect:\n  - requests: { operation: async*, min: 2 }\n`);
  const { code, out } = await program.run(['run', '--scenario', file, '--', ...script('await jobs(1)')]);
  expect(code).toBe(1);
  expect(out).toContain('  ✗ requests async*: expected at least 2, got 1\n');
  expect(out).toMatch(/\nfailed: 1 expectation not met \(/);
});

describe('a rule that never fired gives exit code 1', () => {
  test.each([
    ['without a request', '', 'never fired; the sandbox received no requests'],
    ['with a rejected request', "await send('POST', '/async/projects/p/jobs', {})", 'the only request was rejected'],
  ])('%s', async (_, text, wanted) => {
    const { code, out } = await program.run(['run', '--scenario', third, '--', ...script(text)]);
    expect(code).toBe(1);
    expect(out).toMatch(/ {2}✗ third job: never fired; /);
    expect(out).toMatch(wanted);
    expect(out).toMatch(/\nfailed: 1 rule never fired/);
  });
});

test('a rule with a chance that never fired is listed, and does not fail the run', async () => {
  const file = scenarioFile('lucky', 'rules:\n  - { name: rare, chance: 0, then: { refuse: bad luck } }\n');
  const { code, out } = await program.run(['run', '--scenario', file, '--', ...script('await jobs(1)')]);
  expect(code).toBe(0);
  expect(out).toMatch(/ {2}– rare: never fired \(chance 0\); closest request: .* matched, but skipped by chance \(0\)/);
});

describe('the exit of the command', () => {
  test.each([
    ['its code is the exit code', ['sh', '-c', 'exit 7'], 7],
    ['also if a rule never fired', ['sh', '-c', 'exit 3'], 3],
    ['a signal gives 128 plus its number', ['sh', '-c', 'kill -KILL $$'], 137],
  ])('%s', async (_, command, wanted) => {
    const { code, out } = await program.run(['run', '--scenario', third, '--', ...command]);
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

  test('SIGQUIT is forwarded', async () => {
    const waiting = "process.on('SIGQUIT', () => process.exit(43)); setInterval(() => {}, 1e6); console.log('waiting')";
    const running = program.start(['run', '--', ...script(waiting)]);
    await running.waitForOutput('waiting');
    running.child.kill('SIGQUIT');
    expect((await running.ended).code).toBe(43);
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

describe('mistakes are reported on one line', () => {
  test.each([
    ['no command', ['run', '--scenario', third], 2, 'expected a command after --'],
    ['nothing after --', ['run', '--'], 2, 'expected a command after --'],
    ['no --', ['run', 'npm', 'test'], 2, 'expected a command after --'],
    ['a scenario without its option', ['run', 'outage', '--', 'true'], 2, 'with --scenario outage'],
    ['no --, and an option of the command', ['run', 'node', '-e', '1'], 2, 'put the command to run after --'],
    ['an unknown option', ['run', '--junitt', 'x', '--', 'true'], 2, 'Did you mean --junit?'],
    [
      'an option before the command',
      ['--seed', 's', 'run', '--', 'true'],
      2,
      'put the command before its options: field-sandbox run',
    ],
    ['an unknown scenario', ['run', '--scenario', 'outtage', '--', 'true'], 2, 'did you mean outage?'],
    ['a missing folder', ['run', '--junit', '/nowhere/j.xml', '--', 'true'], 2, 'folder not found: /nowhere'],
    ['an unknown command', ['run', '--', 'no-such-command'], 127, 'no-such-command: command not found'],
    ['a file that is not executable', ['run', '--', path.resolve('package.json')], 126, 'cannot be run (EACCES)'],
    ['a command without a name', ['run', '--', ''], 127, "'': command not found"],
  ])('%s', async (_, args, wanted, words) => {
    const { code, out, err } = await program.run(args);
    expect({ code, out }).toEqual({ code: wanted, out: '' });
    expect(err).toContain(words);
    expect(err).not.toMatch(/^\s+at /m);
  });
});

test('a receiver that ends with the command: the report says why callbacks failed, and what to do', async () => {
  const text = `
    const { createServer } = await import('node:http');
    const receiver = createServer((request, response) => response.end());
    await new Promise((listening) => receiver.listen(0, '127.0.0.1', listening));
    const address = 'http://127.0.0.1:' + receiver.address().port;
    await control('PUT', '/projects/p/callback-endpoint', { url: address + '/hooks?token=hunter2' });
    await control('PUT', '/projects/p/clock', { mode: 'frozen' });
    await send('POST', '/async/projects/p/jobs', { jobs: [{ id: 'FAIL-GEOCODE-1' }] });
    receiver.close();`;
  const { code, out } = await program.run(['run', '--', ...script(text)]);
  expect(code).toBe(0);
  expect(out).toMatch(
    /\n {2}jobs\.import\.failed: failed × 1\nnot delivered\n {2}1 × jobs\.import\.failed: connection refused by http:\/\/127\.0\.0\.1:\d+\/hooks\?token=\*\*\*; the command had ended\n {2}The receiver has to run until/,
  );
});

test('requests before resets count, over all projects', async () => {
  const file = scenarioFile('counted', `${rules}expect:\n  - requests: { operation: asyncImportJobs, count: 4 }\n`);
  const text = `
    for (const round of [1, 2]) { await jobs(1); await control('POST', '/projects/p/reset'); }
    await jobs(1, 'q'); await control('POST', '/reset'); await jobs(1, 'r');`;
  const { code, out } = await program.run(['run', '--scenario', file, '--', ...script(text)]);
  expect(out).toContain('✓ requests asyncImportJobs: expected 4, got 4\n');
  expect(code).toBe(0);
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
  const { code, out } = await program.run([
    ...['run', '--scenario', file, '--', ...script("await jobs(1, 'a'); await jobs(1, 'b'); await jobs(1, 'b')")],
  ]);
  expect(out).toContain('✓ down: fired 2 times\n');
  expect(out).toContain('✓ requests with status 202 after rule "down" fired: expected 1, got 1\n');
  expect(code).toBe(0);
});

test('the command gets only the key of --api-key, and the key is not shown', async () => {
  const { code, out, err } = await program.run([
    ...['run', '--api-key', 'top-secret@eu=p,q', '--api-key', 'other', '--'],
    ...script("if (apikey !== 'top' + '-secret') process.exit(9); await jobs(1); await fetch(url + '/' + apikey)"),
    'top-secret',
  ]);
  expect(code).toBe(0);
  expect(out).toContain('asyncImportJobs: 202 × 1');
  expect(out + err).not.toContain('top-secret');
});

test('the address of another sandbox is ignored, and the log goes to stderr', async () => {
  const elsewhere = { SANDBOX_PORT: '1', SANDBOX_HOST: '203.0.113.7', SANDBOX_URL: 'http://127.0.0.1:1' };
  const quiet = await program.run(['run', '--', ...script('await jobs(1)')], elsewhere);
  expect(quiet.code).toBe(0);
  expect(quiet.err).not.toContain('"operation"');
  const loud = await program.run(['run', '--log', 'json', '--', ...script('await jobs(1)')], elsewhere);
  expect(loud.err).toContain('"operation":"asyncImportJobs"');
  expect(loud.out).not.toContain('"operation"');
});

test('the sandbox starts without projects, also with SANDBOX_DEMO', async () => {
  const count = script("process.exitCode = (await (await control('GET', '/projects')).json()).items.length");
  expect((await program.run(['run', '--', ...count], { SANDBOX_DEMO: 'true' })).code).toBe(0);
});

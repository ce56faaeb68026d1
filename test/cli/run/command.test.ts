/** `field-sandbox run` as a process: its command, its report, its exit code. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { useProgram } from '../../harness/program.ts';
import { script } from '../run-script.ts';

const program = useProgram();
const third = 'geocoder-rejects-third-job';

/** Every scenario has a rule. */
const rules = 'rules:\n  - { name: there, then: { latency: 1ms } }\n';

/** A scenario file of the test's own. */
function scenarioFile(name: string, text: string): string {
  const file = path.join(program.folder, `${name}.yaml`);
  writeFileSync(file, `name: ${name}\n${text}`);
  return file;
}

test('green: the command has address and key, what it started is settled, and the report says so', async () => {
  const { code, out, err } = await program.run([
    ...['run', '--scenario', third, '--', ...script("console.log('mine', url, apikey, (await jobs(3)).status)")],
  ]);
  expect(code).toBe(0);
  expect(out).toMatch(/^mine http:\/\/127\.0\.0\.1:\d+ sandbox-key 202\n\n/);
  expect(out).toContain(`${third}\n  ✓ third job: acted once\n  ✓ callbacks`);
  expect(out).toContain('1 callback\n  jobs.import.failed: inbox × 1\n');
  expect(out).toContain('1 request\n  asyncImportJobs: 202 × 1\n');
  expect(out).toMatch(/\npassed: .*\n$/);
  expect(err.trim().split('\n')).toHaveLength(2);
  expect(out + err).not.toContain('\u001b');
});

test('what is due in an hour is not waited for', async () => {
  const rules = "rules:\n  - { name: late, when: { item: 1 }, then: { fail: 'no', after: 1h } }\n";
  const late = scenarioFile('late', `${rules}expect:\n  - callbacks: { count: 1 }\n`);
  const { code, out } = await program.run(['run', '--scenario', late, '--', ...script('await jobs(1)')]);
  expect([code, out]).toEqual([0, expect.stringContaining('jobs.import.failed: inbox × 1')]);
});

test('an expectation that is not met is a 1, with what there was', async () => {
  const file = scenarioFile('retries', `${rules}expect:\n  - requests: { operation: async*, min: 2 }\n`);
  const { code, out } = await program.run(['run', '--scenario', file, '--', ...script('await jobs(1)')]);
  expect(code).toBe(1);
  expect(out).toContain('  ✗ requests async*: wanted at least 2, there was 1\n');
  expect(out).toMatch(/\nfailed: 1 expectation not met \(/);
});

describe('a rule that never fired is a 1', () => {
  test.each([
    ['nothing at all', '', 'never fired; no request came at all'],
    ['only what is refused', "await send('POST', '/async/projects/p/jobs', {})", 'the one request was refused'],
    [
      'the one that came furthest, not the last',
      "await jobs(2, 'near'); await send('POST', '/sync/projects/p/orders', { orders: [] })",
      /nearest: asyncImportJobs req_\w+ in project near: wanted item 3, the list had 2\n/,
    ],
    [
      'one of a project that was reset since',
      "await jobs(2, 'near'); await control('POST', '/projects/near/reset')",
      /nearest: asyncImportJobs req_\w+ in project near: wanted item 3, the list had 2\n/,
    ],
    [
      'one about something else',
      "await send('POST', '/sync/projects/p/orders', { orders: [] })",
      /nearest: syncImportOrders req_\w+ in project p: wanted operation asyncImportJobs\*, the request was syncImportOrders/,
    ],
  ])('%s', async (_, text, wanted) => {
    const { code, out } = await program.run(['run', '--scenario', third, '--', ...script(text)]);
    expect(code).toBe(1);
    expect(out).toMatch(/ {2}✗ third job: never fired; /);
    expect(out).toMatch(wanted);
    expect(out).toMatch(/\nfailed: 1 rule never fired/);
  });
});

test('a rule by chance that never fired is shown, and not counted', async () => {
  const file = scenarioFile('lucky', 'rules:\n  - { name: rare, chance: 0, then: { refuse: bad luck } }\n');
  const { code, out } = await program.run(['run', '--scenario', file, '--', ...script('await jobs(1)')]);
  expect(code).toBe(0);
  expect(out).toMatch(/ {2}– rare: never fired by chance; nearest: .* chance \(0\) was against it/);
});

describe("the command's end", () => {
  test.each([
    ['its code is passed on', ['sh', '-c', 'exit 7'], 7],
    ['also where a rule never fired', ['sh', '-c', 'exit 3'], 3],
    ['a signal is 128 and its number', ['sh', '-c', 'kill -KILL $$'], 137],
  ])('%s', async (_, command, wanted) => {
    const { code, out } = await program.run(['run', '--scenario', third, '--', ...command]);
    expect(code).toBe(wanted);
    expect(out).toContain(`failed: the command ended with ${wanted}, 1 rule never fired`);
  });

  test('a signal is passed on, and the command may answer it in its own way', async () => {
    const waiting = "process.on('SIGTERM', () => process.exit(42)); setInterval(() => {}, 1e6); console.log('waiting')";
    const running = program.start(['run', '--', ...script(waiting)]);
    await running.wrote('waiting');
    running.child.kill('SIGTERM');
    expect(await running.ended).toMatchObject({ code: 42, out: expect.stringContaining('ended with 42') });
  });

  test('also the one that asks for a trace', async () => {
    const waiting = "process.on('SIGQUIT', () => process.exit(43)); setInterval(() => {}, 1e6); console.log('waiting')";
    const running = program.start(['run', '--', ...script(waiting)]);
    await running.wrote('waiting');
    running.child.kill('SIGQUIT');
    expect((await running.ended).code).toBe(43);
  });

  test('a signal while it waits for a receiver ends it, and says that nothing is judged', async () => {
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
    expect(err).toContain('SIGTERM: ended before all that was still to come had happened, so nothing is judged\n');
  });

  test('its arguments and output are its own', async () => {
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

describe('what is wrong is said in a line', () => {
  test.each([
    ['no command', ['run', '--scenario', third], 2, 'expected a command after --'],
    ['nothing after --', ['run', '--'], 2, 'expected a command after --'],
    ['no --', ['run', 'npm', 'test'], 2, 'expected a command after --'],
    ['no --, and an option of the command', ['run', 'node', '-e', '1'], 2, 'the command to run comes after --'],
    ['an option that there is not', ['run', '--junitt', 'x', '--', 'true'], 2, 'Did you mean --junit?'],
    ['an option before it', ['--seed', 's', 'run', '--', 'true'], 2, '"run" comes before its options'],
    ['a bad value', ['run', '--clock', 'noon', '--', 'true'], 2, '--clock: expected'],
    ['a scenario that there is not', ['run', '--scenario', 'outtage', '--', 'true'], 2, 'did you mean outage?'],
    [
      'a folder that there is not',
      ['run', '--junit', '/nowhere/j.xml', '--', 'true'],
      2,
      'there is no folder /nowhere',
    ],
    ['a folder in place of a file', ['run', '--junit', 'src', '--', 'true'], 2, '--junit: src is a folder'],
    ['a command that there is not', ['run', '--', 'no-such-command'], 127, 'no-such-command: there is no such command'],
    ['a file that is none', ['run', '--', path.resolve('package.json')], 126, "can't be run (EACCES)"],
    ['a command without a name', ['run', '--', ''], 127, "'': there is no such command"],
    ['a report without a name', ['run', '--junit', '', '--', 'echo'], 2, '--junit: expected the name of a file'],
  ])('%s', async (_, args, wanted, words) => {
    const { code, out, err } = await program.run(args);
    expect({ code, out }).toEqual({ code: wanted, out: '' });
    expect(err).toContain(words);
    expect(err).not.toMatch(/^\s+at /m);
  });
});

test('what happened before resets counts, over all projects', async () => {
  const file = scenarioFile('counted', `${rules}expect:\n  - requests: { operation: asyncImportJobs, count: 4 }\n`);
  const text = `
    for (const round of [1, 2]) { await jobs(1); await control('POST', '/projects/p/reset'); }
    await jobs(1, 'q'); await control('POST', '/reset'); await jobs(1, 'r');`;
  const { code, out } = await program.run(['run', '--scenario', file, '--', ...script(text)]);
  expect(out).toContain('✓ requests asyncImportJobs: wanted exactly 4, there were 4\n');
  expect(code).toBe(0);
});

test('`after` is looked at in each project alone', async () => {
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
  expect(out).toContain('✓ down: acted 2 times\n');
  expect(out).toContain('✓ requests answered 202 after "down" had acted: wanted exactly 1, there was 1\n');
  expect(code).toBe(0);
});

test('the option of the key says more than the key, and the key is not shown', async () => {
  const { code, out, err } = await program.run([
    ...['run', '--api-key', 'top-secret@eu=p,q', '--api-key', 'other', '--'],
    ...script("if (apikey !== 'top' + '-secret') process.exit(9); await jobs(1); await fetch(url + '/' + apikey)"),
    'top-secret',
  ]);
  expect(code).toBe(0);
  expect(out).toContain('asyncImportJobs: 202 × 1');
  expect(out + err).not.toContain('top-secret');
});

test('the environment of another sandbox is no matter, and the log goes where errors go', async () => {
  const elsewhere = { SANDBOX_PORT: '1', SANDBOX_HOST: '203.0.113.7', SANDBOX_URL: 'http://127.0.0.1:1' };
  const quiet = await program.run(['run', '--', ...script('await jobs(1)')], elsewhere);
  expect(quiet.code).toBe(0);
  expect(quiet.err).not.toContain('"operation"');
  const loud = await program.run(['run', '--log', 'json', '--', ...script('await jobs(1)')], elsewhere);
  expect(loud.err).toContain('"operation":"asyncImportJobs"');
  expect(loud.out).not.toContain('"operation"');
});

test('nothing is there but what the command does', async () => {
  const count = script("process.exitCode = (await (await control('GET', '/projects')).json()).items.length");
  expect((await program.run(['run', '--', ...count], { SANDBOX_DEMO: 'true' })).code).toBe(0);
});

test('a scenario of single projects is judged in each, and those that failed are told of', async () => {
  const scenario = `{ name: 'own', rules: [{ name: 'no', then: { refuse: 'no' } }], expect: [{ rule: 'no', count: 1 }] }`;
  const { code, out } = await program.run([
    'run',
    '--',
    ...script(`
      const use = (project) => control('PUT', '/projects/' + project + '/scenarios', { scenarios: [${scenario}] });
      await use('a'); await jobs(1, 'a'); await control('POST', '/projects/a/reset');
      await use('a'); await jobs(1, 'a');
      await use('b'); await jobs(1, 'b'); await jobs(1, 'b'); await use('b'); await use('b'); await jobs(1, 'b');`),
  ]);
  expect(out).toContain(`switched on for single projects
  ✗ own in 2 projects: rules acted 5 times, 0 of 1 expectation met
    ✗ in project b: deeds of the rule "no": wanted exactly 1, there were 2
`);
  expect(code).toBe(1);
});

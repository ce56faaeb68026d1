/** `field-sandbox sweep` as a process: its verdicts, its files and its exit codes. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseSweepText } from '../../../src/sweep-report/parse.ts';
import type { SweepReport } from '../../../src/sweep-report/report.ts';
import { isFull } from '../../harness/amounts.ts';
import { useProgram } from '../../harness/program.ts';
import { script } from '../run/script.ts';

const program = useProgram();
const file = (name: string): string => path.join(program.folder, name);

/** A client that sends a job in two ways, and ignores what comes back. */
const careless = script("await jobs(1); await send('POST', '/sync/projects/p/jobs', { id: 'B', status: 'PENDING' })");
/** A client that fails if an import fails. */
const strict = script('if ((await jobs(1)).status !== 202) process.exit(1)');
const oneCase = ['--operation', 'asyncImportJobs', '--kind', 'status-500'];

/** Runs a sweep in a folder of its own. */
async function sweep(name: string, args: readonly string[], command: readonly string[]) {
  const out = file(name);
  const ended = await program.run(['sweep', '--out', out, ...args, '--', ...command]);
  const text = existsSync(path.join(out, 'sweep.json')) ? readFileSync(path.join(out, 'sweep.json'), 'utf8') : '{}';
  const parsed = parseSweepText(text);
  const report = 'report' in parsed ? parsed.report : undefined;
  return { ...ended, report, folder: out };
}

const verdictsOf = (report: SweepReport | undefined) => report?.cases.map((one) => [one.case, one.verdict]);

test('finds what a careless client loses, and stores what repeats it', async () => {
  const { code, out, err, report } = await sweep('careless', [...oneCase, '--json', file('careless.json')], careless);
  expect(code).toBe(1);
  expect(verdictsOf(report)).toEqual([
    ['asyncImportJobs/status-500/1', 'unnoticed'],
    ['asyncImportJobs/status-500/always', 'unnoticed'],
  ]);
  const [first, always] = report?.cases ?? [];
  expect(first).toMatchObject({ expects: 'recovery', exitCode: 0, requests: 2, occurrence: 1, always: false });
  expect(first?.detail).toBe('asyncImportJobs answered 500 once: the command passed, but 1 job is missing: J-1');
  expect(always).toMatchObject({ sameAs: 'asyncImportJobs/status-500/1', always: true });
  expect(report).toMatchObject({
    baseline: { requests: 2, operations: { asyncImportJobs: 1, syncCreateJob: 1 } },
    summary: { unnoticed: 2 },
    notTried: 0,
  });
  expect(JSON.parse(readFileSync(file('careless.json'), 'utf8'))).toEqual(report);
  expect(out).toContain('status-500  U\n');
  expect(out).toContain(`field-sandbox run --scenario ${first?.scenario} -- `);
  expect(err).toContain('baseline: 2 requests to 2 operations');
  const repeated = await program.run(['run', '--scenario', first?.scenario ?? '', '--', ...careless]);
  expect(repeated).toMatchObject({ code: 0, out: expect.stringContaining('asyncImportJobs: 500 × 1') });
  expect(readFileSync(first?.scenario ?? '', 'utf8')).toContain('    scope: server\n');
  expect(existsSync(first?.output ?? '')).toBe(true);
});

test('a client that recovers or reports has no bad verdict', async () => {
  const client = script(
    'for (let n = 0; n < 3; n += 1) if ((await jobs(1)).status < 500) process.exit(0); process.exit(1)',
  );
  const { code, report } = await sweep('robust', oneCase, client);
  expect([code, report?.summary]).toEqual([0, { recovered: 1, reported: 1 }]);
});

describe('--known', () => {
  test('accepts what it lists, and fails for what is new', async () => {
    const known = file('known.json');
    const both = ['--operation', 'asyncImportJobs', '--kind', 'status-500,status-502', '--known', known];
    expect(await sweep('known', [...oneCase, '--known', known], careless)).toMatchObject({
      code: 2,
      err: `--known: ${known}: file not found; create it with --update-known\n`,
    });
    expect((await sweep('known', [...oneCase, '--known', known, '--update-known'], careless)).code).toBe(0);
    expect(JSON.parse(readFileSync(known, 'utf8'))).toEqual({
      'asyncImportJobs/status-500/1': 'unnoticed',
      'asyncImportJobs/status-500/always': 'unnoticed',
    });
    expect((await sweep('known', [...oneCase, '--known', known], careless)).code).toBe(0);
    expect((await sweep('known', both, careless)).code).toBe(1);
    const mended = await sweep('known', both, strict);
    expect(mended.err).toContain('no longer bad: asyncImportJobs/status-500/always; remove them from');
  });

  test('must be an object of cases and bad verdicts', async () => {
    const known = file('bad-known.json');
    writeFileSync(known, '{ "asyncImportJobs/status-500/1": "recovered" }');
    const { code, err } = await sweep('bad-known', [...oneCase, '--known', known], careless);
    expect([code, err]).toEqual([2, expect.stringContaining('asyncImportJobs/status-500/1: expected hung, storm, ')]);
  });
});

test('what was bad in the last sweep comes first, and its files are replaced', async () => {
  const args = ['--operation', 'asyncImportJobs', '--kind', 'status-5*', '--budget', '10m'];
  const { report, folder } = await sweep('again', oneCase, careless);
  const kept = report?.cases[0]?.scenario ?? '';
  expect(existsSync(kept)).toBe(true);
  const limited = await sweep(
    'again',
    [...args, '--timeout', '5s'],
    script('if ((await jobs(1)).status === 502) process.exit(1)'),
  );
  expect(limited.report?.cases.slice(0, 2).map((one) => one.case)).toEqual([
    'asyncImportJobs/status-500/1',
    'asyncImportJobs/status-500/always',
  ]);
  expect(folder).toBe(limited.folder);
});

// Two runs, each of which must be silent for five seconds.
test.runIf(isFull)('a command that hangs is ended', { timeout: 60_000 }, async () => {
  const client = script('if ((await jobs(1)).status === 502) await new Promise((done) => setTimeout(done, 60_000))');
  const args = ['--operation', 'asyncImportJobs', '--kind', 'status-502', '--timeout', '1s'];
  const { code, report } = await sweep('hung', args, client);
  expect([code, verdictsOf(report)]).toEqual([1, [['asyncImportJobs/status-502/1', 'hung']]]);
  expect(report?.cases[0]?.exitCode).toBeNull();
});

test('a signal ends the sweep with the report so far', async () => {
  const running = program.start([
    ...[
      'sweep',
      '--out',
      file('stopped'),
      '--jobs',
      '1',
      '--',
      ...script('await jobs(1); if (process.env.SANDBOX_CASE) await new Promise((done) => setTimeout(done, 60_000))'),
    ],
  ]);
  await new Promise<void>((began) => {
    running.child.stderr?.on('data', (text: Buffer) => {
      if (String(text).includes(' at a time')) began();
    });
  });
  running.child.kill('SIGINT');
  const { code, out } = await running.ended;
  expect([code, out]).toEqual([130, expect.stringContaining('not tried')]);
});

describe('is not possible', () => {
  test.each<[why: string, args: readonly string[], command: readonly string[] | undefined, err: string]>([
    ['without a command', [], undefined, 'expected a command after --, such as: field-sandbox sweep -- npm test\n'],
    ['without a request', [], script(''), 'the command sent no request to the sandbox: does it use SANDBOX_URL?\n'],
    [
      'with a command that fails',
      [],
      script('process.exit(3)'),
      'without any failure, the first run of the command ended with 3',
    ],
    ['with an unknown operation', ['--operation', 'x'], careless, '--operation: no operation matches "x"'],
    [
      'with an unused operation',
      ['--operation', 'submitLocation'],
      careless,
      'no case; the command uses asyncImportJobs, syncCreateJob',
    ],
    ['with an unknown option', ['--sped', 'x'], careless, "unknown option '--sped'"],
  ])('%s', async (_, args, command, message) => {
    const { code, err } = await program.run([
      'sweep',
      '--out',
      file('never'),
      ...args,
      ...(command ? ['--', ...command] : []),
    ]);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});

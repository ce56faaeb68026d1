/** A recording replays identically on another machine, whatever its environment. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { useProgram } from '../../harness/program.ts';
import { freshProject, type TestSandbox, useSandbox } from '../../harness/sandbox.ts';

const program = useProgram();
const folder = mkdtempSync(path.join(tmpdir(), 'elsewhere-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

const changes = {
  basePath: '/field/v2',
  operations: { asyncImportJobs: { path: '/imports?project={projectId}', method: 'PUT', status: 200 } },
  errors: { ...shippedProfile.errors, invalid: 422 },
  downstream: { processing: '1.5s' },
  duplicates: { ...shippedProfile.duplicates, jobs: 'replace' },
  nulls: 'ignore',
  otherSubproject: 'reject',
} as const;
const profile = { ...shippedProfile, ...changes };

const own = `
name: own
rules:
  - { when: { item: 3 }, then: { fail: Straße unbekannt – «Ünïcode», after: 2s } }
  - { chance: 0.5, then: { latency: { min: 1ms, max: 4ms }, callback: { delay: 5s } } }
`;

const options = {
  profile: write('profile.yaml', JSON.stringify(changes)),
  scenarios: [write('own.yaml', own), 'partial-batch'],
  seed: 'of the other machine',
  clock: '2026-03-29T00:59:59Z',
};
const lenient = useSandbox(options, profile);
const strict = useSandbox({ ...options, strict: 'true' }, profile);

/** Records imports with failures, an unknown field, a scenario by header, mistakes, and an advanced clock. */
async function record(sandbox: TestSandbox): Promise<string> {
  const project = freshProject();
  for (let batch = 1; batch <= 3; batch += 1) {
    const jobs = [1, 2, 3, 4].map((n) => ({ id: `${batch}-${n}`, ...(n === 2 && { statsu: 'PENDING' }) }));
    const headers = batch === 2 ? { 'x-sandbox-scenario': 'rejected-batch' } : {};
    await sandbox.api('PUT', `/field/v2/imports?project=${project}`, { jobs }, headers);
    await sandbox.advance(project, '1s');
  }
  await sandbox.api('POST', `/field/v2/projects/${project}/users`, { username: 'İstanbul' });
  await sandbox.advance(project);
  return (await sandbox.control('GET', `/projects/${project}/recording`)).text;
}

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Replays a file in an empty folder, with only this environment. */
function replay(file: string, environment: Readonly<Record<string, string>>): Promise<Ended> {
  const home = mkdtempSync(path.join(folder, 'home-'));
  const cwd = path.join(home, 'work');
  mkdirSync(cwd);
  const args = [path.join(program.folder, 'dist/main.js'), 'replay', file];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd, env: { HOME: home, ...environment } }, (error, out, err) => {
      expect(readdirSync(cwd)).toEqual([]);
      resolve({ code: error ? Number(error.code) : 0, out, err });
    });
  });
}

const machines: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['an empty environment', {}],
  ['another time zone and language', { TZ: 'Pacific/Chatham', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' }],
  [
    'SANDBOX_ variables',
    {
      SANDBOX_SEED: 'another',
      SANDBOX_STRICT: 'true',
      SANDBOX_SCENARIO: 'outage',
      SANDBOX_SCENARIO_DIR: '/nowhere',
      SANDBOX_SCENARIO_YAML: 'name: x\nrules: [{ then: { respond: { status: 500 } } }]',
      SANDBOX_MAGIC_IDS: 'false',
      SANDBOX_PROFILE: '/nowhere.yaml',
      SANDBOX_API_KEY: 'mine=p-9',
      SANDBOX_ADMIN_TOKEN: 'mine',
      SANDBOX_CALLBACK_URL: 'http://127.0.0.1:9/',
      SANDBOX_CLOCK: '2001-01-01T00:00:00Z',
      SANDBOX_PORT: '1',
      SANDBOX_LOG: 'json',
      SANDBOX_JSON: 'true',
    },
  ],
];

describe.each([
  ['lenient', lenient, 0],
  ['strict', strict, 1],
])('recorded by a %s sandbox', (_name, sandbox, refused) => {
  let text = '';
  beforeAll(async () => {
    text = await record(sandbox);
  });

  test('the recording contains all of it', () => {
    const { strict: isStrict, serverScenarios, changes: all } = JSON.parse(text);
    expect({ isStrict, serverScenarios }).toEqual({ isStrict: refused > 0, serverScenarios: [1, 2] });
    const answers = all.flatMap(({ response }: { response?: { status: number } }) => response ?? []);
    expect(answers.map(({ status }: { status: number }) => status)).toEqual([200, 200, 200, 422]);
    expect(JSON.parse(answers[1].body).failed).toHaveLength(4);
    expect(answers[0].body.match(/did you mean status\?/g) ?? []).toHaveLength(refused);
    expect(text).toContain('Straße unbekannt – «Ünïcode»');
  });

  test.each(machines)('replays identically with %s', async (_machine, environment) => {
    const { code, out, err } = await replay(write('r.json', text), environment);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^identical: 4 requests, 2 callbacks; replayed 9\.0 s of project time in \d/);

    const other = JSON.parse(text);
    other.changes[0].response.status = 418;
    const differs = await replay(write('other.json', JSON.stringify(other)), environment);
    expect(differs).toMatchObject({ code: 1, err: '' });
    expect(differs.out).toContain('different: the status\n  recorded  418\n  replayed  200\n');
  });
});

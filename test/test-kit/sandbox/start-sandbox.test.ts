/** A sandbox in this process: its options, their mistakes, and closing. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { optionTable } from '../../../src/config/option-table.ts';
import { type Sandbox, startSandbox } from '../../../src/index.ts';
import { createFolder } from '../../harness/folder.ts';
import { importJobs, withoutEnvironment } from '../kit.ts';

const folder = createFolder();

beforeEach(() => withoutEnvironment());

const failureOf = (starting: Promise<unknown>): Promise<string> =>
  starting.then(
    () => 'no failure',
    (failed: Error) => failed.message,
  );

test('listens on loopback on a free port, and accepts the default key', async () => {
  await using sandbox = await startSandbox();
  expect(sandbox.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(sandbox.url).not.toContain(':4600');
  expect(sandbox.apiKey).toBe('sandbox-key');
  expect((await importJobs(sandbox.project(), 'J-1')).status).toBe(202);
});

test('two sandboxes of one process share nothing', async () => {
  await using one = await startSandbox();
  await using other = await startSandbox();
  await importJobs(one.project('shared'), 'J-1');
  expect(await one.project('shared').requests.list()).toHaveLength(1);
  expect(await other.project('shared').requests.list()).toHaveLength(0);
});

test('can be closed twice, also by `await using`; later calls fail', async () => {
  const sandbox = await startSandbox();
  const project = sandbox.project();
  {
    await using same = sandbox;
    expect(same.url).toBe(sandbox.url);
  }
  await Promise.all([sandbox.close(), sandbox.close()]);
  await expect(project.jobs.list()).rejects.toThrow(`the sandbox at ${sandbox.url} was closed by this test`);
  await expect(fetch(sandbox.url)).rejects.toThrow();
});

test('closing ends pending waits', async () => {
  const sandbox = await startSandbox();
  const waiting = sandbox.project().requests.waitFor({ timeout: '10m' });
  const failure = failureOf(waiting);
  await sandbox.close();
  expect(await failure).toContain('was closed by this test');
});

const settingsOf = async ({ url }: Sandbox) => (await fetch(`${url}/_sandbox/settings`)).json();

test('ignores the options of the environment', async () => {
  vi.stubEnv('SANDBOX_SEED', 'of the shell');
  vi.stubEnv('SANDBOX_API_KEY', 'of-the-shell');
  vi.stubEnv('SANDBOX_CLOCK', 'no clock at all');
  await using sandbox = await startSandbox();
  expect(sandbox.apiKey).toBe('sandbox-key');
  expect(await settingsOf(sandbox)).toMatchObject({ seed: 'field-sandbox', clock: 'real' });
});

describe('options', () => {
  const at = '2026-03-02T09:00:00.000Z';

  test('are applied', async () => {
    const options = { seed: 'mine', strict: true, clock: 'frozen' } as const;
    await using sandbox = await startSandbox(options);
    expect(await settingsOf(sandbox)).toMatchObject(options);
  });

  test.each([
    ['a text', at],
    ['a date', new Date(at)],
  ])('the clock may be a time: %s', async (_, clock) => {
    await using sandbox = await startSandbox({ clock });
    expect(await sandbox.project().clock.read()).toMatchObject({ mode: 'frozen', now: at });
  });

  test('the clock may be a rate, which a running sandbox must have as well', async () => {
    await using sandbox = await startSandbox({ clock: '20x' });
    expect(await sandbox.project().clock.read()).toMatchObject({ mode: 'real', rate: 20 });
    vi.stubEnv('SANDBOX_URL', sandbox.url);
    await (await startSandbox({ clock: '20x' })).close();
    await expect(startSandbox({ clock: 'real' })).rejects.toThrow('clock: expected real, got 20x');
  });

  test('scenarios are names, files or objects; the first one has the highest priority', async () => {
    const file = path.join(folder, 'from-file.yaml');
    writeFileSync(file, 'name: from-file\nrules:\n  - then: { refuse: from a file }\n');
    const refusing = { name: 'refusing', rules: [{ then: { refuse: 'written out' } }] };
    await using sandbox = await startSandbox({ scenarios: [refusing, file, 'outage'] });
    const project = sandbox.project();
    expect(await project.useOnly()).toMatchObject({ serverScenarios: ['refusing', 'from-file', 'outage'] });
    expect(await (await importJobs(project, 'J-1')).text()).toContain('written out');
  });

  test('the first API key is for clients, without its region and projects', async () => {
    await using sandbox = await startSandbox({ apiKeys: ['first-key@au=north', 'second-key'] });
    expect(sandbox.apiKey).toBe('first-key');
  });

  test('only the kit has the admin token', async () => {
    await using sandbox = await startSandbox({ adminToken: 'let-me-in' });
    expect(await sandbox.project().jobs.list()).toEqual([]);
    expect((await fetch(`${sandbox.url}/_sandbox/projects`)).status).toBe(401);
  });

  test('reports all mistakes at once', async () => {
    const message = await failureOf(startSandbox({ clock: 'later', log: 'loud' as never, callbackUrl: 'x' }));
    expect(message.split('\n').map((line) => line.split(': ').slice(-2)[0])).toEqual(['callbackUrl', 'clock', 'log']);
    const others = { sede: 'x', strict: null, clock: 'later' } as never;
    await expect(startSandbox(others)).rejects.toMatchObject({
      violations: [
        { message: 'unknown option "sede", did you mean seed?' },
        { message: 'strict: expected true or false, got null' },
        { message: expect.stringMatching(/^clock: expected real, frozen/) },
      ],
    });
  });

  test('reports a port that is in use', async () => {
    await using sandbox = await startSandbox();
    const port = Number(new URL(sandbox.url).port);
    expect(await failureOf(startSandbox({ port }))).toBe(
      `startSandbox: port: ${port} is in use: choose another port, or omit the option for a free one`,
    );
  });

  test('accepts every option of the command line except --json', async () => {
    for (const { key } of optionTable.filter((row) => row.key !== 'json')) {
      expect(await failureOf(startSandbox({ [key]: Symbol('none') }))).toContain(`startSandbox: ${key}: expected `);
    }
  });
});

test('logs requests only if the option asks for it', async () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    for (const [options, text] of [
      [{}, /^$/],
      [{ log: 'json' }, /"operation":"asyncImportJobs"/],
    ] as const) {
      await using sandbox = await startSandbox(options);
      await importJobs(sandbox.project(), 'J-1');
      await sandbox.close();
      expect(write.mock.calls.flat().join('')).toMatch(text);
    }
  } finally {
    write.mockRestore();
  }
});

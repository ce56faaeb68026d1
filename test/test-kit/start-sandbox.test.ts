/** A sandbox of this process: what it is started with, what is wrong with that, and that it ends. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { optionTable } from '../../src/config/option-table.ts';
import { type SandboxOptions, startSandbox } from '../../src/index.ts';
import { importJobs, withoutEnvironment } from './kit.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-kit-'));
afterAll(() => rmSync(folder, { recursive: true }));

beforeEach(() => withoutEnvironment());

/** Starts one for the length of a function. */
async function within<T>(
  options: SandboxOptions,
  use: (sandbox: Awaited<ReturnType<typeof startSandbox>>) => Promise<T>,
) {
  const sandbox = await startSandbox(options);
  try {
    return await use(sandbox);
  } finally {
    await sandbox.close();
  }
}

async function failureOf(starting: Promise<unknown>): Promise<string> {
  const error = await starting.then(
    () => undefined,
    (failed: Error) => failed,
  );
  return String(error?.message);
}

test('it listens on this machine, on a port of its own, and takes the usual key', async () => {
  await within({}, async (sandbox) => {
    expect(sandbox.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(sandbox.url).not.toContain(':4600');
    expect(sandbox.apiKey).toBe('sandbox-key');
    expect((await importJobs(sandbox.project(), 'J-1')).status).toBe(202);
  });
});

test('two of one process know nothing of each other', async () => {
  await within({}, (one) =>
    within({}, async (other) => {
      await importJobs(one.project('shared'), 'J-1');
      expect(await one.project('shared').requests.list()).toHaveLength(1);
      expect(await other.project('shared').requests.list()).toHaveLength(0);
    }),
  );
});

test('closing twice is as closing once, also by `await using`; what is asked for later fails and says so', async () => {
  const sandbox = await startSandbox();
  const project = sandbox.project();
  {
    await using same = sandbox;
    expect(same.url).toBe(sandbox.url);
  }
  await Promise.all([sandbox.close(), sandbox.close()]);
  await expect(project.jobs.list()).rejects.toThrow(`the sandbox at ${sandbox.url} was closed here`);
  await expect(fetch(sandbox.url)).rejects.toThrow();
});

test('closing ends what is still waited for', async () => {
  const sandbox = await startSandbox();
  const waiting = sandbox.project().requests.waitFor({ timeout: '10m' });
  const failure = failureOf(waiting);
  await sandbox.close();
  expect(await failure).toContain('was closed here');
});

test('the options of a server are not taken from the environment', async () => {
  vi.stubEnv('SANDBOX_SEED', 'of the shell');
  vi.stubEnv('SANDBOX_API_KEY', 'of-the-shell');
  vi.stubEnv('SANDBOX_CLOCK', 'no clock at all');
  await within({}, async ({ url, apiKey }) => {
    expect(apiKey).toBe('sandbox-key');
    const settings = await (await fetch(`${url}/_sandbox/settings`)).json();
    expect(settings).toMatchObject({ seed: 'field-sandbox', clock: 'real' });
  });
});

describe('options', () => {
  const ends = { at: '2026-03-02T09:00:00.000Z' };
  const refusing = { name: 'refusing', rules: [{ then: { refuse: 'written out' } }] };

  test.each<[string, SandboxOptions, (settings: Record<string, unknown>) => void]>([
    ['seed', { seed: 'mine' }, (settings) => expect(settings['seed']).toBe('mine')],
    ['strict', { strict: true }, (settings) => expect(settings['strict']).toBe(true)],
    ['clock', { clock: 'frozen' }, (settings) => expect(settings['clock']).toBe('frozen')],
  ])('%s is in force', async (_, options, look) => {
    await within(options, async ({ url }) =>
      look((await (await fetch(`${url}/_sandbox/settings`)).json()) as Record<string, unknown>),
    );
  });

  test.each([
    ['a text', ends.at],
    ['a date', new Date(ends.at)],
  ])('a clock may be an instant: %s', async (_, clock) => {
    await within({ clock }, async (sandbox) =>
      expect(await sandbox.project().clock.read()).toMatchObject({ mode: 'frozen', now: ends.at }),
    );
  });

  test('scenarios are names, files, or written out, the first before the others', async () => {
    const file = path.join(folder, 'from-file.yaml');
    writeFileSync(file, 'name: from-file\nrules:\n  - then: { refuse: from a file }\n');
    await within({ scenarios: [refusing, file, 'outage'] }, async (sandbox) => {
      const project = sandbox.project();
      expect(await project.use()).toMatchObject({ serverScenarios: ['refusing', 'from-file', 'outage'] });
      const answer = await importJobs(project, 'J-1');
      expect(await answer.text()).toContain('written out');
    });
  });

  test('the first key is the one that is given to clients, without what it is good for', async () => {
    await within({ apiKeys: ['first-key@au=north', 'second-key'] }, async ({ apiKey }) => {
      expect(apiKey).toBe('first-key');
    });
  });

  test('with an admin token, the kit has it and others have not', async () => {
    await within({ adminToken: 'let-me-in' }, async (sandbox) => {
      expect(await sandbox.project().jobs.list()).toEqual([]);
      expect((await fetch(`${sandbox.url}/_sandbox/projects`)).status).toBe(401);
    });
  });

  test.each<[string, object, string]>([
    ['an unknown one', { sead: 'x' }, 'startSandbox: there is no option "sead", did you mean seed?'],
    ['json', { json: true }, 'there is no option "json"'],
    ['a wrong clock', { clock: 'frosen' }, 'startSandbox: clock: expected real, frozen'],
    ['a wrong port', { port: 99_999 }, 'port: expected a number from 0 to 65535, got "99999"'],
    ['a value of no use', { seed: { of: 1 } }, 'seed: expected a text, got {"of":1}'],
    ['a list of one value', { seed: ['a', 'b'] }, 'seed: expected one value, got ["a","b"]'],
    ['a list of no keys', { apiKeys: [] }, 'apiKeys: expected at least one, got none'],
    ['a key', { apiKeys: ['k@mars'] }, 'apiKeys: expected KEY'],
    ['a URL', { callbackUrl: 'ftp://x' }, 'callbackUrl: a callback URL must be'],
    ['a scenario name', { scenarios: ['outtage'] }, 'scenarios: there is no scenario "outtage", did you mean outage?'],
    ['a scenario', { scenarios: [{ name: 'x', rules: [{ thn: {} }] }] }, 'unknown key "thn", did you mean then?'],
    ['a file', { scenarios: ['./none.yaml'] }, "./none.yaml: can't be read (ENOENT)"],
    ['a profile', { profile: './none.yaml' }, "./none.yaml: can't be read (ENOENT)"],
  ])('%s that is wrong is told by its name', async (_, options, message) => {
    expect(await failureOf(startSandbox(options))).toContain(message);
  });

  test('all that is wrong is told at once', async () => {
    const message = await failureOf(startSandbox({ clock: 'later', log: 'loud' as never, callbackUrl: 'x' }));
    expect(message.split('\n').map((line) => line.split(': ').slice(-2)[0])).toEqual(['callbackUrl', 'clock', 'log']);
  });

  test('a port that is taken', async () => {
    await within({}, async ({ url }) => {
      const port = Number(new URL(url).port);
      expect(await failureOf(startSandbox({ port }))).toBe(
        `startSandbox: port: ${port} is taken; without it a free one is picked`,
      );
    });
  });

  test('every option of the command line is known, but for the one that is about its output', async () => {
    for (const { key } of optionTable.filter((row) => row.key !== 'json')) {
      expect(await failureOf(startSandbox({ [key]: Symbol('none') }))).toContain(
        `startSandbox: ${key}: expected a text`,
      );
    }
  });
});

test('requests are logged where that is asked for, and not otherwise', async () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    await within({}, (sandbox) => importJobs(sandbox.project(), 'J-1'));
    expect(write).not.toHaveBeenCalled();
    await within({ log: 'json' }, (sandbox) => importJobs(sandbox.project(), 'J-1'));
    expect(write.mock.calls.flat().join('')).toContain('"operation":"asyncImportJobs"');
  } finally {
    write.mockRestore();
  }
});

test.each([[''], [null], [7]])('a project is not named %j', async (id) => {
  await within({}, async (sandbox) => {
    expect(() => sandbox.project(id as string)).toThrow('project: expected an id');
  });
});

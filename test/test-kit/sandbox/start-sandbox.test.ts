/** A sandbox in this process: its options, their mistakes, and closing. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { optionTable } from '../../../src/config/option-table.ts';
import { type SandboxOptions, startSandbox } from '../../../src/index.ts';
import { importJobs, withoutEnvironment } from '../kit.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-kit-'));
afterAll(() => rmSync(folder, { recursive: true }));

beforeEach(() => withoutEnvironment());

/** Runs a function with a sandbox, and closes it afterwards. */
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

test('listens on loopback on a free port, and accepts the default key', async () => {
  await within({}, async (sandbox) => {
    expect(sandbox.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(sandbox.url).not.toContain(':4600');
    expect(sandbox.apiKey).toBe('sandbox-key');
    expect((await importJobs(sandbox.project(), 'J-1')).status).toBe(202);
  });
});

test('two sandboxes of one process share nothing', async () => {
  await within({}, (one) =>
    within({}, async (other) => {
      await importJobs(one.project('shared'), 'J-1');
      expect(await one.project('shared').requests.list()).toHaveLength(1);
      expect(await other.project('shared').requests.list()).toHaveLength(0);
    }),
  );
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

test('ignores the options of the environment', async () => {
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

  test('are applied', async () => {
    const options = { seed: 'mine', strict: true, clock: 'frozen' } as const;
    await within(options, async ({ url }) =>
      expect(await (await fetch(`${url}/_sandbox/settings`)).json()).toMatchObject(options),
    );
  });

  test.each([
    ['a text', ends.at],
    ['a date', new Date(ends.at)],
  ])('the clock may be a time: %s', async (_, clock) => {
    await within({ clock }, async (sandbox) =>
      expect(await sandbox.project().clock.read()).toMatchObject({ mode: 'frozen', now: ends.at }),
    );
  });

  test('the clock may be a rate, which a running sandbox must have as well', async () => {
    await within({ clock: '20x' }, async (sandbox) => {
      expect(await sandbox.project().clock.read()).toMatchObject({ mode: 'real', rate: 20 });
      vi.stubEnv('SANDBOX_URL', sandbox.url);
      await (await startSandbox({ clock: '20x' })).close();
      await expect(startSandbox({ clock: 'real' })).rejects.toThrow('clock: expected real, got 20x');
    });
  });

  test('scenarios are names, files or objects; the first one has the highest priority', async () => {
    const file = path.join(folder, 'from-file.yaml');
    writeFileSync(file, 'name: from-file\nrules:\n  - then: { refuse: from a file }\n');
    await within({ scenarios: [refusing, file, 'outage'] }, async (sandbox) => {
      const project = sandbox.project();
      expect(await project.useOnly()).toMatchObject({ serverScenarios: ['refusing', 'from-file', 'outage'] });
      const answer = await importJobs(project, 'J-1');
      expect(await answer.text()).toContain('written out');
    });
  });

  test('the first API key is for clients, without its region and projects', async () => {
    await within({ apiKeys: ['first-key@au=north', 'second-key'] }, async ({ apiKey }) => {
      expect(apiKey).toBe('first-key');
    });
  });

  test('only the kit has the admin token', async () => {
    await within({ adminToken: 'let-me-in' }, async (sandbox) => {
      expect(await sandbox.project().jobs.list()).toEqual([]);
      expect((await fetch(`${sandbox.url}/_sandbox/projects`)).status).toBe(401);
    });
  });

  test.each<[string, object, string]>([
    ['an unknown option', { sead: 'x' }, 'startSandbox: unknown option "sead", did you mean seed?'],
    ['json', { json: true }, 'unknown option "json"'],
    ['a value of a wrong type', { seed: { of: 1 } }, 'seed: expected a string, got {"of":1}'],
    ['a list for a single value', { seed: ['a', 'b'] }, 'seed: expected one value, got ["a","b"]'],
    ['an empty list of keys', { apiKeys: [] }, 'apiKeys: expected at least one value, got none'],
    ['a wrong key', { apiKeys: ['k@mars'] }, 'apiKeys: expected KEY'],
  ])('reports %s by the name of its option', async (_, options, message) => {
    expect(await failureOf(startSandbox(options))).toContain(message);
  });

  test('reports all mistakes at once', async () => {
    const message = await failureOf(startSandbox({ clock: 'later', log: 'loud' as never, callbackUrl: 'x' }));
    expect(message.split('\n').map((line) => line.split(': ').slice(-2)[0])).toEqual(['callbackUrl', 'clock', 'log']);
  });

  test('reports a port that is in use', async () => {
    await within({}, async ({ url }) => {
      const port = Number(new URL(url).port);
      expect(await failureOf(startSandbox({ port }))).toBe(
        `startSandbox: port: ${port} is in use: choose another port, or omit the option for a free one`,
      );
    });
  });

  test('accepts every option of the command line except --json', async () => {
    for (const { key } of optionTable.filter((row) => row.key !== 'json')) {
      expect(await failureOf(startSandbox({ [key]: Symbol('none') }))).toContain(
        `startSandbox: ${key}: expected a string`,
      );
    }
  });
});

test('logs requests only if the option asks for it', async () => {
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

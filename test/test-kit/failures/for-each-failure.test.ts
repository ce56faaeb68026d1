/** `forEachFailure`: a test body runs once under each failure, in a project of its own. */
import { AssertionError, deepEqual } from 'node:assert/strict';
import { describe, expect, test, vi } from 'vitest';
import { type FailureCase, forEachFailure, type Project, type Sandbox, startSandbox } from '../../../src/index.ts';
import { writeProfile } from '../../harness/profile.ts';
import { importJobs, useKit } from '../kit.ts';

const sandbox = useKit({ clock: 'frozen' });
const operation = 'asyncImportJobs';

/** A client that sends again if that may help, and reports what it cannot import. Returns ids with reasons. */
async function importRobustly(project: Project, id: string): Promise<readonly string[]> {
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const response = await project.send(operation, { jobs: [{ id }] }).catch(() => undefined);
    if (!response || response.status >= 429) continue;
    if (response.status >= 400) return [String(response.status)];
    await project.clock.advance('idle');
    const callbacks = await project.callbacks.list();
    const failed = [
      ...(response.body as { failed: readonly { id: string; reason: string }[] }).failed,
      ...callbacks.flatMap((callback) => callback.body.data.failed),
    ];
    return failed.filter(({ reason }) => !reason.includes('exists already')).map((one) => one.id);
  }
  return [id];
}

async function testRobustly(project: Project, { expects }: FailureCase): Promise<void> {
  const reported = await importRobustly(project, 'ORD-1');
  expect(reported.length > 0).toBe(expects === 'report');
  const stored = (await project.jobs.list()).map(({ id }) => id);
  if (expects === 'recovery') expect(stored).toEqual(['ORD-1']);
}

/** A client that sends once and ignores the response. */
async function testWeakly(project: Project, _: FailureCase): Promise<void> {
  await importJobs(project, 'ORD-1');
  await project.clock.advance('idle');
  deepEqual(
    (await project.jobs.list()).map(({ id }) => id),
    ['ORD-1'],
  );
}

/** Kinds that cost little time. */
const quickKinds = ['refused', 'failed-*', 'status-4?0', 'status-429', 'status-50*', 'connection-reset*'];

test('a robust client survives every failure of requests, which all happen', async () => {
  const survived = await sandbox().forEachFailure({ operation, kinds: quickKinds, concurrency: 4 }, testRobustly);
  expect(survived.filter(({ reached }) => !reached)).toEqual([]);
  expect(survived.map((one) => one.case)).toEqual(
    expect.arrayContaining(['asyncImportJobs/status-503/1', 'asyncImportJobs/status-503/always']),
  );
});

describe('errors of the body', () => {
  test('are all listed with their cases, and the first one is the cause', async () => {
    const kinds = ['status-503', 'connection-reset', 'latency'];
    const error = await sandbox()
      .forEachFailure({ operation, kinds }, testWeakly)
      .catch((one: unknown) => one);
    expect(error).toMatchObject({
      name: 'SandboxError',
      message: expect.stringMatching(
        /^forEachFailure: the test body failed in 4 of 5 cases\n {2}asyncImportJobs\/status-503\/1: Expected values to be strictly deep-equal:\n {4}\+ actual/,
      ),
    });
    const { message, cause } = error as Error;
    expect(message.match(/(?<=^ {2}asyncImportJobs\/)[^:]+: \w+/gm)).toEqual([
      ...['status-503/1: Expected', 'connection-reset/1: fetch'],
      ...['status-503/always: Expected', 'connection-reset/always: fetch'],
    ]);
    expect(cause).toBeInstanceOf(AssertionError);
    expect(cause).toMatchObject({ actual: [], expected: ['ORD-1'] });
  });

  test('a body that does not end fails at its time limit, and the others run', async () => {
    const hangs = sandbox().forEachFailure(
      { operation, kinds: ['latency', 'connection-truncate'], timeout: 50 },
      (_, { kind }) => (kind === 'latency' ? new Promise(() => undefined) : undefined),
    );
    await expect(hangs).rejects.toThrow(
      /1 of 2 cases\n {2}asyncImportJobs\/latency\/1 \(not reached\): not finished after 50 ms$/,
    );
  });
});

test('the error of a body counts also if it has closed the sandbox', async () => {
  const own = await startSandbox();
  const failed = own.forEachFailure({ operation, kinds: 'latency' }, async () => {
    await own.close();
    throw new Error('it was too slow');
  });
  await expect(failed).rejects.toThrow(/1 of 1 cases\n {2}asyncImportJobs\/latency\/1: it was too slow$/);
});

describe('the project of a case', () => {
  test('is unused, has only this failure, and is reset afterwards; other projects are not affected', async () => {
    const other = sandbox().project();
    const projects: Project[] = [];
    await sandbox().forEachFailure({ operation, kinds: ['status-500', 'status-502'] }, async (project) => {
      projects.push(project);
      expect((await project.clock.read()).mode).toBe('frozen');
      expect((await importJobs(other, `J-${projects.length}`)).status).toBe(202);
      expect((await importJobs(project, 'ORD-1')).status).toBeGreaterThanOrEqual(500);
    });
    expect(new Set(projects.map(({ id }) => id)).size).toBe(3);
    for (const project of projects) expect(await project.requests.list()).toEqual([]);
    expect(await other.requests.list()).toHaveLength(3);
  });
});

describe('failures of callbacks', () => {
  test('happen if the body has callbacks, also on a frozen clock', async () => {
    const survived = await sandbox().forEachFailure({ operation, kinds: 'callback-*' }, async (project) => {
      await importJobs(project, 'FAIL-1');
      await project.clock.advance('idle');
    });
    expect(survived).toHaveLength(9);
    expect(survived.filter(({ reached }) => !reached).map(({ kind }) => kind)).toEqual([]);
  });

  test('are listed as not reached if it has none', async () => {
    const kinds = ['latency', 'callback-drop'];
    const survived = await sandbox().forEachFailure({ operation, kinds }, testWeakly);
    expect(survived.map(({ kind, reached }) => [kind, reached])).toEqual([
      ['latency', true],
      ['callback-drop', false],
    ]);
  });

  test('it is an error if no failure happened at all', async () => {
    await expect(sandbox().forEachFailure({ operation, kinds: 'callback-*' }, testWeakly)).rejects.toThrow(
      /^forEachFailure: none of the 9 failures happened: the test body must send asyncImportJobs to project.url/,
    );
  });
});

test('the mistakes of the options are reported at once, before any body runs', async () => {
  const body = vi.fn();
  const wrong = { operation: 'asyncImportJob', kinds: ['status-503', 'statsu-500'], kind: 'x' };
  await expect(sandbox().forEachFailure(wrong, body)).rejects.toThrow(
    [
      'forEachFailure: unknown "kind", did you mean kinds?; expected operation, kinds, timeout, concurrency',
      'operation: no operation matches "asyncImportJob", did you mean asyncImportJobs?',
      'kinds: no kind of failure matches "statsu-500", did you mean status-500?',
    ].join('\n'),
  );
  expect(body).not.toHaveBeenCalled();
});

test('the exported function uses a sandbox of its own, or the one of SANDBOX_URL', async () => {
  const urls: string[] = [];
  const body = async ({ url, id, apiKey }: Project) => {
    urls.push(url);
    await importJobs(sandbox().project(id), 'ORD-1');
    await importJobs({ url, id, apiKey } as Project, 'ORD-1');
  };
  expect(await forEachFailure({ operation, kinds: 'status-502' }, body)).toMatchObject([{ reached: true }]);
  vi.stubEnv('SANDBOX_URL', sandbox().url);
  const attached: Sandbox = await startSandbox();
  await attached.forEachFailure({ operation, kinds: 'status-502' }, body);
  await attached.close();
  await forEachFailure({ operation, kinds: 'status-502' }, body);
  expect(urls.map((url) => url === sandbox().url)).toEqual([false, true, true]);
});

test('with a profile, the failures are those that the catalog of the sandbox lists', async () => {
  const profile = writeProfile({ operations: { asyncImportJobs: { mode: 'sync' } } });
  const own = await startSandbox({ profile });
  await expect(own.forEachFailure({ operation, kinds: 'callback-*' }, testWeakly)).rejects.toThrow(
    'kinds: asyncImportJobs has no failure of these kinds: callback-*',
  );
  await own.close();
});

/** A test adds failures and scenarios to a project, and asks what became of them. */
import { describe, expect, test } from 'vitest';
import { failureCases, type Project, SandboxError } from '../../../src/index.ts';
import { importJobs, useKit } from '../kit.ts';

const sandbox = useKit({ clock: 'frozen' });
const statusOf = async (project: Project, ...ids: string[]) => (await importJobs(project, ...ids)).status;

describe('fail', () => {
  test('makes an operation fail until it is stopped, and counts how often', async () => {
    const project = sandbox().project();
    const failure = await project.fail('asyncImportJobs', 'status-503');
    expect([await statusOf(project, 'J-1'), await statusOf(project, 'J-1')]).toEqual([503, 503]);
    expect(await failure.fired()).toBe(2);
    await failure.stop();
    await failure.stop();
    expect(await statusOf(project, 'J-1')).toBe(202);
    expect(await failure.fired()).toBe(2);
  });

  test('takes times and nth; failures of one kind do not restart each other', async () => {
    const project = sandbox().project();
    const first = await project.fail('async*', 'status-500', { times: 1 });
    expect(await statusOf(project, 'J-1')).toBe(500);
    const second = await project.fail('asyncImportJobs', 'status-500', { nth: 2 });
    expect(second.name).not.toBe(first.name);
    const statuses = [];
    for (let n = 0; n < 3; n += 1) statuses.push(await statusOf(project, `K-${n}`));
    expect(statuses).toEqual([202, 500, 202]);
    expect([await first.fired(), await second.fired()]).toEqual([1, 1]);
  });

  test('takes ids of entries, and the time after which they fail', async () => {
    const project = sandbox().project();
    await project.fail('asyncImportJobs', 'failed-downstream', { ids: 'BAD-*', after: '10s', processed: false });
    await importJobs(project, 'J-1', 'BAD-1');
    await project.clock.advance('9s');
    expect(await project.callbacks.list()).toEqual([]);
    await project.clock.advance(2000);
    const [callback, ...others] = await project.callbacks.list({ entry: 'BAD-1' });
    expect(others).toEqual([]);
    expect(callback?.body.data.failed).toMatchObject([{ id: 'BAD-1' }]);
    expect(await project.callbacks.list({ entry: ['J-1', 'J-2'] })).toEqual([]);
    // The name of the filter in the control API: it was ignored.
    expect(await project.callbacks.list({ entity: 'J-1' } as never)).toEqual([]);
  });

  test('takes the time after which it begins, and whether the request takes effect', async () => {
    const project = sandbox().project();
    await project.fail('asyncImportJobs', 'status-504', { after: '5s', processed: true });
    expect(await statusOf(project, 'J-1')).toBe(202);
    await project.clock.advance('5s');
    expect(await statusOf(project, 'J-2')).toBe(504);
    await project.clock.advance('idle');
    expect((await project.jobs.list()).map(({ id }) => id)).toEqual(['J-1', 'J-2']);
  });

  test('a handle speaks of its own failure alone, and does not guess', async () => {
    const project = sandbox().project();
    const first = await project.fail('asyncImportJobs', 'status-500');
    await statusOf(project, 'J-1');
    await project.useOnly();
    const second = await sandbox().project(project.id).fail('asyncImportJobs', 'status-500');
    await expect(first.fired()).rejects.toMatchObject({ code: 'gone', message: expect.stringContaining('ask before') });
    await first.stop();
    expect(await statusOf(project, 'J-1')).toBe(500);
    expect(await second.fired()).toBe(1);
  });
});

test('scenarios are added in front of those that are active, a failure of failureCases too', async () => {
  const project = sandbox().project();
  await project.use('outage');
  const [failure] = failureCases({ operation: 'asyncImportJobs', kinds: 'status-400' });
  const { scenarios } = await project.use(failure ?? '', '{ name: last, rules: [{ then: { latency: 1ms } }] }');
  expect(scenarios).toEqual(['asyncimportjobs-status-400-1', 'last', 'outage']);
  expect((await project.use('last')).scenarios).toEqual(['last', 'asyncimportjobs-status-400-1', 'outage']);
});

test('changes of one project at the same time do not undo each other, by several objects of it either', async () => {
  const project = sandbox().project();
  const kinds = ['status-500', 'status-502', 'latency'] as const;
  const added = await Promise.all(kinds.map((kind) => sandbox().project(project.id).fail('syncCreateJob', kind)));
  const active = (await project.scenarios()).rules.map(({ scenario }) => scenario);
  expect(active).toEqual(expect.arrayContaining(added.map(({ name }) => name)));
});

describe('verify', () => {
  const twice = {
    name: 'twice',
    rules: [{ name: 'down', when: { operation: 'asyncImportJobs', item: { id: 'X-1' } }, then: { fail: 'no' } }],
    expect: [{ requests: { operation: 'asyncImportJobs', min: 2 } }],
  };

  test('names each rule that never fired with the nearest request, and each expectation', async () => {
    const project = sandbox().project();
    await project.use(twice);
    await importJobs(project, 'J-1');
    const error = await project.verify().then(
      () => undefined,
      (thrown: SandboxError) => thrown,
    );
    expect(error).toBeInstanceOf(SandboxError);
    expect(error?.code).toBe('not_verified');
    expect(error?.message).toMatch(
      /^verify: 2 things did not happen\n {2}twice, down: never fired; the nearest request, asyncImportJobs req_\w+: .*\n {2}twice: an expectation is not met: /,
    );
    expect(error?.violations).toHaveLength(2);
  });

  test('passes once all has happened', async () => {
    const project = sandbox().project();
    await project.use(twice);
    await importJobs(project, 'X-1');
    await importJobs(project, 'J-2');
    await project.verify();
    const { rules, expectations } = await project.scenarios();
    expect(rules[0]).toEqual({ scenario: 'twice', rule: 'down', matched: 1, fired: 1, left: null });
    expect(expectations).toMatchObject([{ scenario: 'twice', met: true, why: expect.any(String) }]);
  });

  test('says that there was no request', async () => {
    const project = sandbox().project();
    await project.fail('asyncImportJobs', 'status-503');
    await expect(project.verify()).rejects.toThrow('never fired; the project received no requests');
  });
});

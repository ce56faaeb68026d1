/** The expectations of a project by the control API: whose count, from when on, and what a client can do to them. */
import { describe, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox();

const down = { name: 'down', when: { request: { nth: 1 } }, then: { respond: { status: 500 } } };
const fail = { name: 'fail', when: { item: { id: 'X-*' } }, then: { fail: 'no' } };

/** Switches a scenario on, with these expectations. */
async function use(project: string, expectations: readonly object[], rules: readonly object[] = [down]): Promise<void> {
  const scenarios = [{ name: 'it', rules, expect: expectations }];
  expect((await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios })).status).toBe(200);
}

const send = (project: string, ...ids: readonly string[]) =>
  sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: ids.map((id) => ({ id })) });

async function judged(
  project: string,
): Promise<{ met: boolean; items: { count: number; met: boolean; why: string }[] }> {
  const { status, body } = await sandbox.control('GET', `/projects/${project}/expectations`);
  expect(status).toBe(200);
  return body;
}

const counts = async (project: string) => (await judged(project)).items.map(({ count }) => count);

test('an expectation is met after enough requests, and has a reason before', async () => {
  const project = freshProject();
  await use(project, [{ requests: { operation: 'async*', status: 202, after: 'down' } }]);
  const about = 'requests async* with status 202 after rule "down" fired: expected at least 1, got';
  await send(project, 'J-1');
  expect(await judged(project)).toEqual({
    met: false,
    items: [{ scenario: 'it', count: 0, met: false, why: `${about} 0` }],
  });
  await send(project, 'J-1');
  expect(await judged(project)).toEqual({
    met: true,
    items: [{ scenario: 'it', count: 1, met: true, why: `${about} 1` }],
  });
});

describe('counts', () => {
  test('no request of another project', async () => {
    const [project, other] = [freshProject(), freshProject()];
    await use(project, [{ requests: {} }]);
    await send(other, 'J-1');
    expect(await counts(project)).toEqual([0]);
  });

  test('a broken response by the status that was sent, or 0', async () => {
    const project = freshProject();
    const fault = (nth: number, connection: string) => ({ when: { request: { nth } }, then: { connection } });
    await use(
      project,
      [{ requests: { status: 0 } }, { requests: { status: 202 } }],
      [fault(1, 'reset'), fault(2, 'truncate')],
    );
    for (const id of ['a', 'b', 'c']) await send(project, id).catch(() => undefined);
    expect(await counts(project)).toEqual([1, 2]);
  });

  test('no callback from before a rule fired as later', async () => {
    const project = freshProject();
    await sandbox.freeze(project);
    const late = { ...down, name: 'late', when: { request: { nth: 2 } } };
    await use(project, [{ callbacks: { after: 'late' } }], [late, fail]);
    await send(project, 'X-1');
    await sandbox.advance(project);
    await send(project, 'X-2');
    expect(await counts(project)).toEqual([0]);
    await send(project, 'X-3');
    await sandbox.advance(project);
    expect(await counts(project)).toEqual([1]);
  });
});

test("counts a rule's firings after a rule that first fired on a callback", async () => {
  const project = freshProject();
  await sandbox.freeze(project);
  const late = { name: 'late', then: { callback: { delay: '1s' } } };
  await use(project, [{ rule: 'fail', after: 'late' }], [fail, late]);
  await send(project, 'X-1');
  await send(project, 'X-2');
  expect(await counts(project)).toEqual([0]);
  await sandbox.advance(project);
  expect(await counts(project)).toEqual([0]);
  await send(project, 'X-3');
  expect(await counts(project)).toEqual([1]);
});

describe('counts restart', () => {
  test('when scenarios are activated again', async () => {
    const project = freshProject();
    const expected = [{ requests: {} }, { rule: 'down' }, { callbacks: {} }];
    await sandbox.freeze(project);
    await use(project, expected, [{ ...down, when: { request: { nth: 2 } } }, fail]);
    for (const id of ['X-1', 'X-2']) await send(project, id);
    await sandbox.advance(project);
    expect(await counts(project)).toEqual([2, 1, 1]);
    await use(project, expected);
    expect(await counts(project)).toEqual([0, 0, 0]);
    await send(project, 'J-1');
    expect(await counts(project)).toEqual([1, 1, 0]);
  });

  test('when the project is reset, which also removes its own scenarios', async () => {
    const project = freshProject();
    await use(project, [{ requests: {} }]);
    await send(project, 'J-1');
    await sandbox.control('POST', `/projects/${project}/reset`);
    expect(await judged(project)).toEqual({ met: true, items: [] });
    await use(project, [{ requests: {} }]);
    expect(await counts(project)).toEqual([0]);
  });
});

describe('a scenario for all projects', () => {
  const common = useSandbox({
    scenarioYaml: 'name: common\nrules: [{ name: r, then: { latency: 1ms } }]\nexpect: [{ requests: { count: 2 } }]\n',
  });

  test('applies to each project, also to an unused one', async () => {
    const [project, unused] = [freshProject(), freshProject()];
    await common.api('POST', `/async/projects/${project}/jobs`, { jobs: [] });
    await common.api('POST', `/async/projects/${project}/jobs`, { jobs: [] });
    const of = async (id: string) => (await common.control('GET', `/projects/${id}/expectations`)).body;
    expect(await of(project)).toMatchObject({ met: true, items: [{ scenario: 'common', count: 2 }] });
    expect(await of(unused)).toMatchObject({ met: false, items: [{ scenario: 'common', count: 0 }] });
  });

  test('keeps counting when a project activates its own scenario', async () => {
    const project = freshProject();
    const ask = () => common.api('POST', `/async/projects/${project}/jobs`, { jobs: [] });
    await ask();
    const own = { name: 'own', rules: [down], expect: [{ requests: {} }] };
    await common.control('PUT', `/projects/${project}/scenarios`, { scenarios: [own] });
    await ask();
    const { body } = await common.control('GET', `/projects/${project}/expectations`);
    const found = body.items.map(({ scenario, count }: { scenario: string; count: number }) => [scenario, count]);
    expect(found).toEqual([
      ['own', 1],
      ['common', 2],
    ]);
  });
});

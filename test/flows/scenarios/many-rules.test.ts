/** Very many rules in one project: requests stay explained, within bounds. */
import { expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox();

test('a scenario with many rules is read, and more than 20,000 rules together are rejected', async () => {
  const project = freshProject();
  const put = (...scenarios: readonly object[]) =>
    sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios });
  const toScenario = (count: number, last: object) => ({
    ...{ expect: [{ rule: `rule ${count + 1}` }], name: 'many' },
    rules: [...Array.from({ length: count }, () => ({ then: { fail: 'No' } })), last],
  });
  const { status, body } = await put(toScenario(250, { then: { refuse: 'last' }, times: 3 }));
  const own = body.rules.filter(({ scenario }: { scenario: string }) => scenario === 'many');
  expect([status, own.length, own.at(-1).left]).toEqual([200, 251, 3]);
  const wrong = await put(toScenario(250, { then: { refuze: 'last' } }));
  expect([wrong.status, wrong.body.errors[0].path]).toEqual([400, '/scenarios/0/rules/250/then/refuze']);
  const seven = toScenario(7000, { then: { fail: 'No' } });
  const many = await put(seven, seven, seven);
  expect([many.status, many.body.errors]).toEqual([
    400,
    [{ path: '/scenarios', message: 'must have at most 20,000 rules in total' }],
  ]);
});

test('a request explains the 100 rules that came furthest', async () => {
  const project = freshProject();
  const rules = Array.from({ length: 150 }, (_, index) => ({
    when: { item: { where: { city: `${index}*` } } },
    then: { fail: 'No' },
  }));
  const last = { name: 'last', then: { fail: 'No' } };
  const scenarios = [{ name: 'many', rules: [...rules, last] }];
  expect((await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios })).status).toBe(200);
  await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'J-1' }] });
  const { body } = await sandbox.control('GET', `/projects/${project}/requests`);
  const [listed] = body.items;
  expect(listed.rules).toHaveLength(100);
  expect(listed.rules.at(-1)).toMatchObject({ rule: 'last', fired: true });
  const { body: shown } = await sandbox.control('GET', `/projects/${project}/requests/${listed.id}`);
  expect(shown.rules).toEqual(listed.rules);
  expect(shown.rulesOmitted).toBe(listed.rulesOmitted);
  const { body: active } = await sandbox.control('GET', `/projects/${project}/scenarios`);
  expect(active.rules).toHaveLength(100 + listed.rulesOmitted);
});

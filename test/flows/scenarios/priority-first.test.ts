/** Scenarios with `priority: first`: they come before all others and stay active, with their counts. */
import { expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const firstOf = (nth: number) => ({
  name: 'case',
  priority: 'first',
  rules: [{ name: 'case', scope: 'server', when: { request: { nth } }, then: { respond: { status: 503 } } }],
});
const own = { name: 'own', rules: [{ then: { respond: { status: 429 } } }] };
const sandbox = useSandbox({ scenarioYaml: JSON.stringify(firstOf(3)) });

const send = async (project: string, headers: Record<string, string> = {}): Promise<number> =>
  (await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [] }, headers)).status;
const acted = async (project: string): Promise<number> =>
  (await sandbox.control('GET', `/projects/${project}/scenarios`)).body.rules[0].acted;

test('its rule fires before the scenarios of the project, of the request and of the server, and survives resets', async () => {
  const project = freshProject();
  await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [own] });
  expect(await send(project)).toBe(429);
  await sandbox.control('POST', `/projects/${project}/reset`);
  await sandbox.control('PUT', '/server-scenarios', { scenarios: [own] });
  expect(await send(project)).toBe(429);
  await sandbox.control('POST', '/reset');
  await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [own] });
  expect([await send(project), await acted(project)]).toEqual([503, 1]);
  await sandbox.control('POST', '/reset');
  expect([await send(project), await acted(project)]).toEqual([200, 1]);
});

test('cannot be activated later, but can be sent back among the server scenarios', async () => {
  const project = freshProject();
  const message = expect.stringContaining('has "priority: first", which holds from the start of the server');
  const scenarios = [{ ...firstOf(1), name: 'late' }];
  for (const path of [`/projects/${project}/scenarios`, '/server-scenarios']) {
    const refused = await sandbox.control('PUT', path, { scenarios });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ path: '/scenarios/0', message }] } });
  }
  const active = (await sandbox.control('GET', '/server-scenarios')).body.scenarios;
  expect(active).toEqual(['case']);
  const put = await sandbox.control('PUT', '/server-scenarios', { scenarios: ['outage', ...active] });
  expect(put).toMatchObject({ status: 200, body: { scenarios: ['case', 'outage'] } });
});

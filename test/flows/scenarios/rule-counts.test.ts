/** What each rule in force has done so far, and how often it may act yet. */
import { expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });
const path = (project: string) => `/projects/${project}/scenarios`;
const own = {
  name: 'own',
  rules: [
    { name: 'second', when: { operation: 'asyncImportJobs', request: { nth: 2 } }, then: { respond: { status: 500 } } },
    { name: 'twice', times: 2, then: { latency: '0s' } },
  ],
};

async function rulesOf(project: string) {
  const { rules } = (await sandbox.control('GET', path(project))).body as { rules: { scenario: string }[] };
  return rules.filter(({ scenario }) => scenario === 'own');
}

test('counts start when the scenario is activated, and restart with it', async () => {
  const project = freshProject();
  await sandbox.control('PUT', path(project), { scenarios: [own] });
  for (const id of ['J-1', 'J-2', 'J-3'])
    await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id }] });
  expect(await rulesOf(project)).toEqual([
    { scenario: 'own', rule: 'second', met: 3, acted: 1, left: null },
    { scenario: 'own', rule: 'twice', met: 3, acted: 2, left: 0 },
  ]);
  // It was written out, and can be named all the same, since it is switched on.
  expect((await sandbox.control('PUT', path(project), { scenarios: ['own', 'outage'] })).status).toBe(200);
  expect(await rulesOf(project)).toMatchObject([{ met: 0, acted: 0 }, { left: 2 }]);
  await sandbox.control('PUT', path(project), { scenarios: ['outage'] });
  expect((await sandbox.control('PUT', path(project), { scenarios: ['own'] })).status).toBe(400);
});

test('an unused project has the rules of all projects with zero counts', async () => {
  const { rules } = (await sandbox.control('GET', path(freshProject()))).body as {
    rules: { scenario: string; met: number }[];
  };
  expect(rules.length).toBeGreaterThan(3);
  expect(rules.every(({ scenario, met }) => scenario === 'magic-ids' && met === 0)).toBe(true);
});

test('a rule with a time span has its window on the clock of the project, once it is known', async () => {
  const project = freshProject();
  const when = (during: object) => ({ when: { during }, then: { respond: { status: 503 } } });
  const rules = [
    { name: 'at once', ...when({ after: '1m', for: '30s' }) },
    { name: 'later', ...when({ afterRequests: 1, for: '10s' }) },
    { name: 'endless', ...when({ after: '1h' }) },
  ];
  await sandbox.control('PUT', path(project), { scenarios: [{ name: 'own', rules }] });
  const windows = async () => (await rulesOf(project)).map((rule) => ('window' in rule ? rule.window : undefined));
  const atOnce = { from: '2026-03-02T09:31:00.000Z', to: '2026-03-02T09:31:30.000Z' };
  const endless = { from: '2026-03-02T10:30:00.000Z' };
  expect(await windows()).toEqual([atOnce, undefined, endless]);
  await sandbox.advance(project, '5s');
  await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'J-1' }] });
  expect(await windows()).toEqual([
    atOnce,
    { from: '2026-03-02T09:30:05.000Z', to: '2026-03-02T09:30:15.000Z' },
    endless,
  ]);
});

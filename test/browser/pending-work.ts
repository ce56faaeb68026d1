/** Adds due work, advances of the clock and an outage to a project with a frozen clock. */
import type { TestSandbox } from '../harness/sandbox.ts';

export async function addWork({ api, control, advance }: TestSandbox, project: string): Promise<void> {
  // Nothing listens there, so callbacks are retried.
  await control('PUT', `/projects/${project}/callback-endpoint`, { url: 'http://127.0.0.1:9/hook' });
  const importJobs = (...ids: readonly string[]) =>
    api('POST', `/async/projects/${project}/jobs`, { jobs: ids.map((id) => ({ id })) });
  for (const n of [11, 12, 13]) await importJobs(`ORD-${n}`, `FAIL-GEOCODE-${n}`);
  await advance(project, '30s');
  await importJobs('ORD-14', 'FAIL-GEOCODE-14');
  await advance(project, '10m');
  await importJobs('ORD-15', 'ORD-16');
  const when = { during: { after: '3m', for: '2m' } };
  const rules = [{ name: 'down', when, then: { respond: { status: 503 } } }];
  await control('PUT', `/projects/${project}/scenarios`, { scenarios: [{ name: 'deployment', rules }, 'flaky'] });
}

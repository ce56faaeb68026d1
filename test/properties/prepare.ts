/** A project of a test's sandbox with what the requests of the properties need. */
import { freshProject, type TestSandbox } from '../harness/sandbox.ts';
import { prepared } from './asked.ts';

/** A frozen project in which every update finds its record, and a rule counts each request. */
export async function prepare(sandbox: TestSandbox): Promise<string> {
  const project = freshProject();
  await sandbox.freeze(project);
  await sandbox.control('PUT', `/projects/${project}/snapshot`, prepared);
  const counting = { name: 'counting', rules: [{ name: 'all', then: { latency: '0s' } }] };
  await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [counting] });
  return project;
}

/** Prepares a project for the requests of the property tests. */
import { freshProject, type TestSandbox } from '../harness/sandbox.ts';
import { prepared } from '../model/asked.ts';

/** Creates a frozen project with the records that updates name, and a rule that counts requests. */
export async function prepare(sandbox: TestSandbox): Promise<string> {
  const project = freshProject();
  await sandbox.freeze(project);
  await sandbox.control('PUT', `/projects/${project}/snapshot`, prepared);
  const counting = { name: 'counting', rules: [{ name: 'all', then: { latency: '0s' } }] };
  await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [counting] });
  return project;
}

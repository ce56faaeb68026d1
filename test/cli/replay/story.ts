/** A short story with changes of every kind in a project with a frozen clock, and its recording. */
import { expect } from 'vitest';
import type { TestSandbox } from '../../harness/sandbox.ts';

/** A recording as a value of any shape. */
// biome-ignore lint/suspicious/noExplicitAny: tests set values of the wrong type
export type Tampered = Record<string, any>;

/** Plays the story. Returns the text of its recording. */
export async function tellStory(sandbox: TestSandbox, project: string): Promise<string> {
  const control = async (method: string, path: string, body?: object) => {
    const answer = await sandbox.control(method, `/projects/${project}${path}`, body);
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer;
  };
  const named = { name: 'named', rules: [{ then: { latency: '1ms' } }] };
  expect((await sandbox.control('PUT', '/scenarios/named', named)).status).toBeLessThan(300);
  const job = { id: 'J-1', status: 'PENDING', address: {} };
  await sandbox.api('POST', `/sync/projects/${project}/jobs`, job, { 'x-sandbox-scenario': 'named' });
  const rules = [
    { when: { item: { id: 'LATE-*' } }, then: { fail: 'too late' } },
    { when: { operation: 'syncCreateJobs' }, then: { connection: 'close', processed: true } },
  ];
  await control('PUT', '/scenarios', { scenarios: [{ name: 'own', rules }] });
  await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'LATE-1' }, { id: 'J-2' }] });
  await sandbox.api('POST', `/projects/${project}/users`, { username: 'ana', password: 'Gehe1m' });
  await sandbox.advance(project, '2s');
  await control('PUT', '/snapshot', (await control('GET', '/snapshot')).body);
  await control('PUT', '/clock', { mode: 'frozen' });
  await control('DELETE', '/callback-endpoint');
  const broken = sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs: [{ id: 'J-3' }] });
  await expect(broken).rejects.toThrow('socket hang up');
  return (await control('GET', '/recording')).text;
}

/** Returns a changed recording. */
export function tamper(text: string, change: (recording: Tampered) => unknown): Tampered {
  const recording = JSON.parse(text) as Tampered;
  change(recording);
  return recording;
}

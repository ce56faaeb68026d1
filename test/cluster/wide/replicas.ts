/** Starts replicas in this process, over the database of a test file. */
import { afterEach, vi } from 'vitest';
import type { OptionTexts } from '../../../src/config/options.ts';
import { type KeptSandbox, startWith, type Told } from '../../flows/data-steps.ts';
import { query } from '../harness/databases.ts';

export interface TestReplica extends KeptSandbox {
  readonly url: string;
}

export type StartReplica = (options?: OptionTexts) => Promise<TestReplica>;

/** Starts replicas, and ends them after each test. The next test finds an empty database. */
export function useReplicas(database: () => string): StartReplica {
  const running = new Set<TestReplica>();
  afterEach(async () => {
    await Promise.all([...running].map((replica) => replica.close()));
    await query(database(), 'DROP SCHEMA IF EXISTS field_sandbox CASCADE');
  });

  return async (options = {}) => {
    const shared = { host: '127.0.0.1', postgres: database(), clusterPort: '0' };
    const kept = await startWith({ ...shared, ...options });
    const replica: TestReplica = {
      ...kept,
      url: kept.sandbox.url,
      close: async () => {
        if (running.delete(replica)) await kept.close();
      },
    };
    running.add(replica);
    // Each knows the others after a beat.
    for (const one of running)
      await vi.waitUntil(() => knowsOthers(one, running.size - 1, options.adminToken), { timeout: 60_000 });
    return replica;
  };
}

/** Starts three replicas with the same options. */
export async function startThree(
  start: StartReplica,
  options: OptionTexts,
): Promise<[TestReplica, TestReplica, TestReplica]> {
  return [await start(options), await start(options), await start(options)];
}

async function knowsOthers({ control }: TestReplica, count: number, token: unknown): Promise<boolean> {
  const { body } = await control('GET', '/settings', undefined, { authorization: `Bearer ${token}` });
  return body.replica.others === count;
}

/** Creates jobs, and with them their project. */
export function importJobs(replica: TestReplica, project: string, ...ids: readonly string[]): Promise<Told> {
  const jobs = ids.map((id) => ({ id }));
  return replica.api('POST', `/async/projects/${project}/jobs`, { jobs });
}

/** Creates jobs in a project whose clock is frozen, and completes their import. */
export async function importDone(replica: TestReplica, project: string, ...ids: readonly string[]): Promise<void> {
  await replica.control('PUT', `/projects/${project}/clock`, { mode: 'frozen' });
  await importJobs(replica, project, ...ids);
  await replica.control('POST', `/projects/${project}/clock/advance`, { until: 'idle' });
}

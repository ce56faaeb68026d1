/** Starts replicas in this process, over the database of a test file. */
import { afterEach, vi } from 'vitest';
import { type OptionTexts, parseOptions } from '../../../src/config/options.ts';
import { type RunningSandbox, startSandbox } from '../../../src/server.ts';
import { query } from '../harness/databases.ts';

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the response has
  readonly body: any;
  readonly text: string;
}

export interface TestReplica {
  readonly url: string;
  readonly sandbox: RunningSandbox;
  /** Sends a request to the API. */
  api(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Sends a request to the control API, `path` without `/_sandbox`. */
  control(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  close(): Promise<void>;
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
    const texts = { port: '0', host: '127.0.0.1', log: 'off', postgres: database(), clusterPort: '0', ...options };
    const parsed = parseOptions(texts, {});
    if (!parsed.ok) throw new Error(parsed.mistakes.join('\n'));
    const reportError = (id: string, error: unknown): void => console.error(id, error);
    const sandbox = await startSandbox(parsed.options, { reportError, warn: () => undefined });
    const { url } = sandbox;
    const replica: TestReplica = {
      url,
      sandbox,
      api: (method, path, body, headers = {}) =>
        send(`${url}${path}`, method, body, { apikey: 'sandbox-key', ...headers }),
      control: (method, path, body, headers = {}) => send(`${url}/_sandbox${path}`, method, body, headers),
      close: async () => {
        if (running.delete(replica)) await sandbox.close();
      },
    };
    running.add(replica);
    // Each knows the others after a beat.
    for (const one of running)
      await vi.waitUntil(() => knowsOthers(one, running.size - 1, options.adminToken), { timeout: 10_000 });
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
export function importJobs(replica: TestReplica, project: string, ...ids: readonly string[]): Promise<Answer> {
  const jobs = ids.map((id) => ({ id }));
  return replica.api('POST', `/async/projects/${project}/jobs`, { jobs });
}

/** Creates jobs in a project whose clock is frozen, and completes their import. */
export async function importDone(replica: TestReplica, project: string, ...ids: readonly string[]): Promise<void> {
  await replica.control('PUT', `/projects/${project}/clock`, { mode: 'frozen' });
  await importJobs(replica, project, ...ids);
  await replica.control('POST', `/projects/${project}/clock/advance`, { until: 'idle' });
}

async function send(
  url: string,
  method: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const sent = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  const response = await fetch(url, {
    method,
    headers: { ...type, ...headers },
    ...(sent !== undefined && { body: sent }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, text, body: isJson ? JSON.parse(text) : undefined };
}

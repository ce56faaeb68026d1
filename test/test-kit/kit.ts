/** Starts a sandbox of the kit for one test file, and sends requests to its API. */
import { afterAll, beforeAll, beforeEach, vi } from 'vitest';
import { type Project, type Sandbox, type SandboxOptions, startSandbox } from '../../src/index.ts';

/** Removes variables of the environment that would change the tests. */
export function withoutEnvironment(): void {
  for (const name of ['SANDBOX_URL', 'SANDBOX_API_KEY', 'SANDBOX_ADMIN_TOKEN']) vi.stubEnv(name, undefined);
}

/** Starts a sandbox for this file, and closes it afterwards. */
export function useKit(options: SandboxOptions = {}): () => Sandbox {
  let sandbox: Sandbox;
  beforeAll(async () => {
    withoutEnvironment();
    sandbox = await startSandbox(options);
  });
  beforeEach(() => withoutEnvironment());
  afterAll(() => sandbox.close());
  return () => sandbox;
}

/** Imports jobs with these ids asynchronously. */
export async function importJobs({ url, id, apiKey }: Project, ...ids: readonly string[]): Promise<Response> {
  return post(url, `/async/projects/${id}/jobs`, { jobs: ids.map((one) => ({ id: one })) }, apiKey);
}

/** Sends a request to the API. */
export function post(url: string, path: string, body: unknown, apikey = 'sandbox-key'): Promise<Response> {
  const headers = { apikey, 'content-type': 'application/json' };
  return fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
}

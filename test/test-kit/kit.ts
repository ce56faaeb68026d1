/** A sandbox of this process for one test file, as users of the kit start it, and requests to its API. */
import { afterAll, beforeAll, beforeEach, vi } from 'vitest';
import { type Project, type Sandbox, type SandboxOptions, startSandbox } from '../../src/index.ts';

/** No test may find the sandbox of whoever runs it. */
export function withoutEnvironment(): void {
  for (const name of ['SANDBOX_URL', 'SANDBOX_API_KEY', 'SANDBOX_ADMIN_TOKEN']) vi.stubEnv(name, undefined);
}

/** Starts one for this file, and ends it afterwards. */
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

/** Imports jobs of these ids, asynchronously. */
export async function importJobs({ url, id, apiKey }: Project, ...ids: readonly string[]): Promise<Response> {
  return post(url, `/async/projects/${id}/jobs`, { jobs: ids.map((one) => ({ id: one })) }, apiKey);
}

/** A request to the API. */
export function post(url: string, path: string, body: unknown, apikey = 'sandbox-key'): Promise<Response> {
  const headers = { apikey, 'content-type': 'application/json' };
  return fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
}

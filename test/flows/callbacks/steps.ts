/** What tests of callbacks have in common: making one due, and reading what became of it. */
import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import { defaultSecret } from '../../../src/callbacks/signature.ts';
import type { Received } from '../../harness/receiver.ts';
import { freshProject, type TestSandbox } from '../../harness/sandbox.ts';

export interface ShownCallback {
  readonly id: string;
  readonly type: string;
  readonly state: string;
  readonly requestId: string;
  readonly body: {
    readonly type: string;
    readonly timestamp: string;
    readonly data: { readonly requestId: string; readonly failed: { readonly id: string; readonly reason: string }[] };
  };
  readonly dueAt: string;
  readonly attempts: {
    readonly at: string;
    readonly cause: 'schedule' | 'copy' | 'redelivery';
    readonly status?: number;
    readonly error?: string;
    readonly headers: Record<string, string>;
    readonly sent: string;
    readonly response?: {
      readonly headers: Record<string, string>;
      readonly body: string;
      readonly bodyCut?: number;
      readonly durationMs: number;
    };
  }[];
}

/** A frozen project whose callbacks go to this URL, or to the inbox. */
export async function frozenProject(sandbox: TestSandbox, url?: string, secret?: string): Promise<string> {
  const project = freshProject();
  await sandbox.freeze(project);
  if (url !== undefined) {
    const answer = await setEndpoint(sandbox, project, { url, ...(secret !== undefined && { secret }) });
    expect(answer.status).toBe(200);
  }
  return project;
}

export function setEndpoint(sandbox: TestSandbox, project: string, endpoint: object): ReturnType<TestSandbox['api']> {
  return sandbox.control('PUT', `/projects/${project}/callback-endpoint`, endpoint);
}

/** Has the API accept one job of this name that will fail downstream, 200 ms later. Gives the request's id. */
export async function failLater(sandbox: TestSandbox, project: string, name = '1'): Promise<string> {
  const jobs = [{ id: `FAIL-${name}` }];
  const response = await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs });
  expect(response.status).toBe(202);
  return String(response.headers['x-request-id']);
}

export async function callbacksOf(sandbox: TestSandbox, project: string): Promise<ShownCallback[]> {
  return (await sandbox.items(project, 'callbacks')) as unknown as ShownCallback[];
}

/** The only callback of a project. */
export async function onlyCallback(sandbox: TestSandbox, project: string): Promise<ShownCallback> {
  const all = await callbacksOf(sandbox, project);
  expect(all).toHaveLength(1);
  return all[0] as ShownCallback;
}

/** What a receiver's library says of a callback: `verified`, or why it refuses it. */
export function verify({ body, headers }: Pick<Received, 'body' | 'headers'>, secret: string = defaultSecret): string {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>, { jsonParse: false });
    return 'verified';
  } catch (error) {
    return (error as Error).message;
  }
}

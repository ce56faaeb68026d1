/** What tests of disturbed callbacks have in common: switching rules on, and reading what a receiver got. */
import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import { defaultSecret } from '../../../src/callbacks/signature.ts';
import type { Received } from '../../harness/receiver.ts';
import type { TestSandbox } from '../../harness/sandbox.ts';
import { frozenProject } from './steps.ts';

/** A frozen project with these rules, or with one that does this to every callback. */
export async function disturbedProject(
  sandbox: TestSandbox,
  url: string | undefined,
  rules: object | readonly object[],
  seed?: string,
): Promise<string> {
  const project = await frozenProject(sandbox, url);
  await useRules(sandbox, project, Array.isArray(rules) ? rules : [{ then: { callback: rules } }], seed);
  return project;
}

export async function useRules(
  sandbox: TestSandbox,
  project: string,
  rules: readonly object[],
  seed?: string,
): Promise<void> {
  const scenarios = [{ name: 'disturbed', ...(seed !== undefined && { seed }), rules }];
  const answer = await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios });
  expect(answer.status, answer.text).toBe(200);
}

/** The names of the jobs that a receiver was told of, one after another. */
export function toNames(received: readonly { readonly body: string }[]): string {
  return received.map(({ body }) => JSON.parse(body).data.failed[0].id.replace('FAIL-', '')).join('');
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

export async function pendingOf(sandbox: TestSandbox, project: string): Promise<number> {
  return (await sandbox.control('GET', `/projects/${project}`)).body.counts.pending;
}

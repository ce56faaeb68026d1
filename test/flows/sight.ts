/** Makes requests and says what their client saw, also where the connection broke. */
import { expect } from 'vitest';
import type { TestSandbox } from '../harness/sandbox.ts';

/** An answer, or what came of it. */
export interface Sighting {
  /** 0 where no answer came. */
  readonly status: number;
  readonly headers: Headers;
  /** '' where it did not come whole. */
  readonly text: string;
  /** `whole`, or how the journal says that it was broken. */
  readonly connection: string;
  /** What the journal says of the request. */
  // biome-ignore lint/suspicious/noExplicitAny: as supertest gives it
  readonly entry: any;
}

/** Faults after which there is no answer, and none of its body. */
const answerless = ['reset', 'close', 'hang'];
const bodiless = [...answerless, 'truncate'];

/** Sends one request to a project. Its client gives up as soon as the journal says that it is broken in one of these ways. */
export async function sight(
  sandbox: TestSandbox,
  project: string,
  url: string,
  init: { readonly method: string; readonly headers: Record<string, string>; readonly body: string },
  givesUpOn: readonly string[],
): Promise<Sighting> {
  const journal = `/projects/${encodeURIComponent(project)}/requests`;
  const before = givesUpOn.length > 0 ? await countRequests(sandbox, project) : 0;
  const giveUp = new AbortController();
  const head = fetch(url, { ...init, signal: giveUp.signal }).catch(() => undefined);
  const asking = head.then(async (answer) => answer && { answer, text: await answer.text().catch(() => undefined) });
  if (givesUpOn.length > 0) {
    const { items } = (await sandbox.control('GET', `${journal}?await=10s&min=${before + 1}&limit=1000`)).body;
    const { fault } = items.at(-1);
    if (fault === 'drip') await head;
    if (givesUpOn.includes(fault)) giveUp.abort();
  }
  const came = await asking;
  const id =
    came?.answer.headers.get('x-request-id') ??
    (await sandbox.control('GET', `${journal}?limit=1000`)).body.items.at(-1).id;
  const entry = (await sandbox.control('GET', `${journal}/${id}`)).body;
  const { fault } = entry;
  expect(came !== undefined, fault).toBe(!answerless.includes(fault));
  // A short body may have come whole before its client gave up.
  if (!givesUpOn.includes(fault)) expect(came?.text !== undefined, fault).toBe(!bodiless.includes(fault));
  return {
    status: came?.answer.status ?? 0,
    headers: came?.answer.headers ?? new Headers(),
    text: came?.text ?? '',
    connection: fault ?? 'whole',
    entry,
  };
}

async function countRequests(sandbox: TestSandbox, project: string): Promise<number> {
  return (await sandbox.control('GET', `/projects/${encodeURIComponent(project)}`)).body.counts.requests;
}

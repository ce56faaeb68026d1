/** Lets clients work until their server is gone, and compares what they were answered with what is there. */
import { setTimeout } from 'node:timers/promises';
import type { CallbackLog } from './callback-log.ts';
import type { Client } from './clients.ts';
import type { Ledger } from './ledger.ts';
import { listJobs } from './list-jobs.ts';
import { createSender, type Send } from './send.ts';

/** Clients, and where they enter what they were answered. */
export interface Work {
  readonly clients: readonly Client[];
  readonly ledger: Ledger;
  readonly callbacks: CallbackLog;
}

/** Resolves when each client has sent a request that nobody answered. Returns how many steps each has taken before. */
export function workUntilGone({ clients, ledger }: Work, url: string): Promise<readonly number[]> {
  const send = createSender(url, ledger);
  return Promise.all(
    clients.map(async (client) => {
      let isGone = false;
      const sendAsLongAsAnswered: Send = async (...request) => {
        const answer = await send(...request);
        isGone ||= answer.status === undefined;
        return answer;
      };
      let steps = -1;
      for (; !isGone; steps += 1) await client.step(sendAsLongAsAnswered);
      return steps;
    }),
  );
}

/** Waits until all that was accepted has happened, then compares the jobs that each server has, by its name. */
export async function compare(
  { clients, ledger, callbacks }: Work,
  servers: Readonly<Record<string, string>>,
  maxLateMs: number,
): Promise<void> {
  const [first = ''] = Object.values(servers);
  await waitForLate(ledger, callbacks, first, maxLateMs);
  for (const [name, url] of Object.entries(servers)) {
    checkJobs(ledger, await readAll(ledger, url), name);
    for (const client of clients) await client.check?.(createSender(url, ledger), url);
  }
}

type There = ReadonlyMap<string, ReadonlyMap<string, unknown>>;

async function waitForLate(ledger: Ledger, callbacks: CallbackLog, url: string, maxMs: number): Promise<void> {
  const until = performance.now() + maxMs;
  const missing = async (): Promise<readonly string[]> => {
    const there = await readAll(ledger, url);
    return ledger.creations
      .filter(({ fate }) => fate === 'stored')
      .flatMap(({ project, id, kind }) => {
        if (kind === 'later') return there.get(project)?.has(id) ? [] : [`job ${id}`];
        return kind === 'at once' || callbacks.isTold(id) ? [] : [`callback for ${id}`];
      });
  };
  for (let what = await missing(); what.length > 0; what = await missing()) {
    if (performance.now() > until) return ledger.violate(`still missing: ${what.slice(0, 5)} of ${what.length}`);
    await setTimeout(100);
  }
}

function checkJobs(ledger: Ledger, there: There, by: string): void {
  for (const creation of ledger.creations) {
    const { project, id, kind, fate } = creation;
    const isThere = there.get(project)?.has(id) === true;
    const mustBeThere = kind !== 'failing' && fate === 'stored';
    const isKnown = kind === 'failing' || fate !== 'unknown';
    if (isKnown && isThere !== mustBeThere)
      ledger.violate(`${by}: ${isThere ? 'there' : 'not there'}: ${JSON.stringify(creation)}`);
  }
}

async function readAll({ creations }: Ledger, url: string): Promise<There> {
  const all = new Map<string, ReadonlyMap<string, unknown>>();
  for (const project of new Set(creations.map((each) => each.project))) all.set(project, await listJobs(url, project));
  return all;
}

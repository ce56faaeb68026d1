/** Many clients on many projects at once, and the comparison of what they were answered with what is there. */
import { setTimeout } from 'node:timers/promises';
import { createDice } from '../../model/dice.ts';
import { listAll } from '../importers.ts';
import type { CallbackLog, Doubt } from './callback-log.ts';
import {
  type Client,
  createClockMover,
  createImporter,
  createLateImporter,
  createReader,
  createUpdater,
  type Site,
} from './clients.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { createSender } from './request.ts';
import type { Rig } from './rig.ts';

export interface Load {
  readonly projects: readonly string[];
  readonly ledger: Ledger;
  /** Imports one job through one address, and returns how long the answer took. */
  probe(url: string, project: string): Promise<{ readonly ms: number; readonly isAnswered: boolean }>;
  /** Resolves when all clients have had an answer to their last request. */
  stop(): Promise<void>;
  /** Waits for late jobs and callbacks, then compares. Returns a line that counts what happened. */
  check(rig: Rig, callbacks: CallbackLog, doubts: readonly Doubt[]): Promise<string>;
}

const projectCount = 6;
const pauseMs = 10;
const lateMs = 60_000;

export async function startLoad({ url }: Rig, name: string, seed: number): Promise<Load> {
  const ledger = createLedger();
  const projects = Array.from({ length: projectCount }, (_, index) => `${name}-${index}`);
  const clients = createClients(url, projects, seed, ledger);
  for (const client of clients) await client.begin?.();
  let isStopping = false;
  const work = clients.map(async (client) => {
    while (!isStopping) {
      await client.step();
      await setTimeout(pauseMs);
    }
  });
  let probes = 0;
  return {
    projects,
    ledger,
    probe: async (at, project) => {
      const id = `probe-${name}-${probes++}`;
      const answer = await createSender(at, ledger)('POST', `/sync/projects/${project}/jobs/batch`, { jobs: [{ id }] });
      ledger.create({ project, id, ...answer });
      return { ms: answer.endedMs - answer.sentMs, isAnswered: answer.fate === 'stored' };
    },
    stop: async () => {
      isStopping = true;
      await Promise.all(work);
    },
    check: async (rig, callbacks, doubts) => {
      await waitForLate(rig, ledger, callbacks);
      for (const { replica, name: by } of rig.members) {
        await checkJobs(ledger, projects, replica.url, by);
        for (const client of clients) await client.check?.(createSender(replica.url, ledger));
      }
      const { answered, applied, notApplied, doubtful, noReplica, lost } = ledger.counts;
      const came = callbacks.check(ledger, doubts);
      return `${answered} answers, ${lost} lost, ${applied} 502, ${notApplied} 503 not applied, ${doubtful} 503 not known, ${noReplica} without a replica; ${came.callbacks} callbacks, ${came.repeated} repeated`;
    },
  };
}

function createClients(url: string, projects: readonly string[], seed: number, ledger: Ledger): readonly Client[] {
  let number = 0;
  const site = (kind: string, project: string): Site => {
    number += 1;
    const dice = createDice(seed * 100 + number);
    return { project, name: `${kind}-${project}-${number}`, dice, send: createSender(url, ledger), ledger };
  };
  return projects.flatMap((project, index) => [
    createImporter(site('i', project)),
    createLateImporter(site('l', project)),
    ...(index % 2 === 0 ? [createUpdater(site('u', project))] : [createReader(site('r', project))]),
    ...(index === 0 ? [createClockMover(site('c', `${project}-clock`))] : []),
  ]);
}

async function waitForLate(rig: Rig, ledger: Ledger, callbacks: CallbackLog): Promise<void> {
  const until = performance.now() + lateMs;
  const expected = ledger.creations.filter(({ fate, id }) => fate === 'stored' && id.startsWith('l-'));
  const missing = async (): Promise<readonly string[]> => {
    const there = await readAll(rig.url, [...new Set(expected.map(({ project }) => project))]);
    return [
      ...callbacks.missing(ledger).map((id) => `callback for ${id}`),
      ...expected.filter(({ id, project }) => !there.get(project)?.has(id)).map(({ id }) => `job ${id}`),
    ];
  };
  for (let what = await missing(); what.length > 0; what = await missing()) {
    if (performance.now() > until) return ledger.violate(`still missing: ${what.slice(0, 5)} of ${what.length}`);
    await setTimeout(250);
  }
}

async function checkJobs(ledger: Ledger, projects: readonly string[], url: string, by: string): Promise<void> {
  const there = await readAll(url, projects);
  for (const creation of ledger.creations) {
    const isThere = there.get(creation.project)?.has(creation.id) === true;
    if (creation.fate !== 'unknown' && isThere !== (creation.fate === 'stored'))
      ledger.violate(`${by}: ${isThere ? 'there' : 'not there'}: ${JSON.stringify(creation)}`);
  }
  for (const { project, id } of ledger.failing.values())
    if (there.get(project)?.has(id)) ledger.violate(`${by}: there, but it failed: ${project}/${id}`);
}

async function readAll(url: string, projects: readonly string[]): Promise<Map<string, Map<string, unknown>>> {
  const all = new Map<string, Map<string, unknown>>();
  for (const project of projects) all.set(project, await listAll(url, project, 'jobs'));
  return all;
}

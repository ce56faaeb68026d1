/** Many clients on many projects at once, and the comparison of what they were answered with what is there. */
import { setTimeout } from 'node:timers/promises';
import { createDice } from '../../model/dice.ts';
import type { CallbackLog, Doubt } from '../../rig/callback-log.ts';
import {
  type Client,
  createClockMover,
  createImporter,
  createLateImporter,
  createReader,
  createUpdater,
  type Site,
} from '../../rig/clients.ts';
import { compare } from '../../rig/compare.ts';
import { createLedger, type Ledger } from '../../rig/ledger.ts';
import { createSender } from '../../rig/send.ts';
import type { Rig } from './rig.ts';

export interface Load {
  readonly projects: readonly string[];
  readonly ledger: Ledger;
  /** Imports one job through one address, and returns how long the answer took. */
  probe(url: string, project: string): Promise<{ readonly ms: number; readonly isAnswered: boolean }>;
  /** Resolves when all clients have had an answer to their last request. */
  stop(): Promise<void>;
  /** Waits for late jobs and callbacks, then compares. Returns a line that counts what happened. */
  check(rig: Rig, doubts: readonly Doubt[]): Promise<string>;
}

const projectCount = 6;
const pauseMs = 10;
const lateMs = 60_000;

export async function startLoad({ url }: Rig, callbacks: CallbackLog, name: string, seed: number): Promise<Load> {
  const ledger = createLedger();
  const projects = Array.from({ length: projectCount }, (_, index) => `${name}-${index}`);
  const clients = createClients(projects, seed, ledger, callbacks);
  const send = createSender(url, ledger);
  for (const client of clients) await client.begin?.(send);
  let isStopping = false;
  const work = clients.map(async (client) => {
    while (!isStopping) {
      await client.step(send);
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
      ledger.create({ project, id, kind: 'at once' }, answer);
      return { ms: answer.endedMs - answer.sentMs, isAnswered: answer.fate === 'stored' };
    },
    stop: async () => {
      isStopping = true;
      await Promise.all(work);
    },
    check: async ({ members }, doubts) => {
      const servers = Object.fromEntries(members.map((member) => [member.name, member.replica.url]));
      await compare({ clients, ledger, callbacks }, servers, lateMs);
      const { answered, unconfirmed, notApplied, doubtful, noReplica, lost } = ledger.counts;
      const came = callbacks.check(ledger, doubts);
      return `${answered} answers, ${lost} lost, ${unconfirmed} 502, ${notApplied} 503 not applied, ${doubtful} 503 not known, ${noReplica} without a replica; ${came.callbacks} callbacks, ${came.repeated} repeated`;
    },
  };
}

function createClients(
  projects: readonly string[],
  seed: number,
  ledger: Ledger,
  callbacks: CallbackLog,
): readonly Client[] {
  let number = 0;
  const site = (kind: string, project: string): Site => {
    number += 1;
    const dice = createDice(seed * 100 + number);
    return { project, name: `${kind}-${project}-${number}`, dice, ledger, callbacks, isShared: true };
  };
  return projects.flatMap((project, index) => [
    createImporter(site('i', project)),
    createLateImporter(site('l', project)),
    ...(index % 2 === 0 ? [createUpdater(site('u', project))] : [createReader(site('r', project))]),
    ...(index === 0 ? [createClockMover(site('c', `${project}-clock`))] : []),
  ]);
}

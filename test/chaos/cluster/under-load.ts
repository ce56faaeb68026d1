/** Runs a fault while many clients work on many projects, then compares what they were answered with what is there. */
import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Receiver } from '../../harness/receiver.ts';
import { createDice, type Dice } from '../../model/dice.ts';
import { type CallbackLog, createCallbackLog, type Doubt } from '../../rig/callback-log.ts';
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
import { type Counts, createLedger, type Ledger } from '../../rig/ledger.ts';
import { createSender } from '../../rig/send.ts';
import type { Member, Rig } from './rig.ts';

/** The load, as a fault sees it. */
export interface DisturbedLoad {
  readonly counts: Counts;
  /** Runs something during which it is not known whether a callback was delivered. */
  doubt(run: () => Promise<unknown>): Promise<void>;
  /** Measures how long the projects of a replica are away: one request for each, through another replica. */
  takeOver(victim: Member, projects: readonly string[]): Promise<void>;
  /** Sends a request for each project to a replica that cannot reach its database. */
  insist(member: Member): Promise<void>;
}

interface Given {
  readonly rig: Rig;
  readonly receiver: Receiver;
  readonly dice: Dice;
  readonly seed: number;
  readonly name: string;
  disturb(load: DisturbedLoad): Promise<void>;
}

const projectCount = 6;
const pauseMs = 10;
const lateMs = 60_000;
/** A replica is fenced when it has not renewed its lease for so long; that is checked twice a second. */
const fencingMs = 6000;

/** Prints what happened, and returns how requests ended. */
export async function runUnderLoad({ rig, receiver, dice, seed, name, disturb }: Given): Promise<Counts> {
  const [callbacks, ledger] = [createCallbackLog(), createLedger()];
  receiver.handle(callbacks.answer);
  const startedMs = performance.now();
  const projects = Array.from({ length: projectCount }, (_, index) => `${name}-${index}`);
  const clients = createClients(projects, seed, ledger, callbacks);
  const send = createSender(rig.url, ledger);
  for (const client of clients) await client.begin?.(send);
  let isStopping = false;
  const work = clients.map(async (client) => {
    while (!isStopping) {
      await client.step(send);
      await setTimeout(pauseMs);
    }
  });

  const doubts: Doubt[] = [];
  /** How long single requests took, in milliseconds. */
  const [takeOvers, insisted]: [number[], number[]] = [[], []];
  let probes = 0;
  /** Imports one job into each project, through the address that is returned for it. */
  const probe = (wanted: readonly string[], toUrl: () => string) =>
    Promise.all(
      wanted.map(async (project) => {
        const job = { project, id: `probe-${name}-${probes++}`, kind: 'at once' } as const;
        const path = `/sync/projects/${project}/jobs/batch`;
        const answer = await createSender(toUrl(), ledger)('POST', path, { jobs: [{ id: job.id }] });
        ledger.create(job, answer);
        return { ms: answer.endedMs - answer.sentMs, isAnswered: answer.fate === 'stored' };
      }),
    );
  await disturb({
    counts: ledger.counts,
    doubt: async (run) => {
      const fromMs = performance.now();
      await run();
      doubts.push({ fromMs, toMs: performance.now() });
    },
    takeOver: async (victim, owned) => {
      const others = rig.members.filter((member) => member !== victim && member.replica.isRunning);
      const ours = owned.filter((project) => projects.includes(project));
      for (const { ms, isAnswered } of await probe(ours, () => dice.of(others).replica.url))
        if (isAnswered) takeOvers.push(ms);
    },
    insist: async ({ replica }) => {
      for (const { ms } of await probe(projects, () => replica.url)) insisted.push(ms);
    },
  });
  isStopping = true;
  await Promise.all(work);
  await rig.ready();

  const fenced = rig.fencedAt.filter((atMs) => atMs > startedMs);
  // A replica that the machine gives no time is fenced too.
  for (const atMs of fenced) doubts.push({ fromMs: atMs - fencingMs, toMs: atMs });
  const servers = Object.fromEntries(rig.members.map((member) => [member.name, member.replica.url]));
  await compare({ clients, ledger, callbacks }, servers, lateMs);
  const came = callbacks.check(ledger, doubts);
  const { answered, unconfirmed, notApplied, doubtful, noReplica, lost } = ledger.counts;
  console.log(
    `${name}: ${answered} answers, ${lost} lost, ${unconfirmed} 502, ${notApplied} 503 not applied, ${doubtful} 503 not known, ${noReplica} without a replica; ${came.callbacks} callbacks, ${came.repeated} repeated; ${fenced.length} joined again${toText('taken over after', takeOvers)}${toText('cut off, answered after', insisted)}`,
  );
  for (const how of ledger.losses.slice(0, 3)) console.log(`${name}: ${how}`);
  expect(ledger.violations).toEqual([]);
  return ledger.counts;
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

function toText(what: string, times: readonly number[]): string {
  if (times.length === 0) return '';
  const sorted = times.toSorted((one, other) => one - other);
  const seconds = (ms = 0): string => (ms / 1000).toFixed(1);
  return `; ${what} ${seconds(sorted[sorted.length >> 1])} s, at most ${seconds(sorted.at(-1))} s (${times.length})`;
}

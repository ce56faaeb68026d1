/** Makes the parts that play the API, for a sandbox that listens and for a recording that is played again. */
import { parseDuration } from './base/duration.ts';
import type { ProblemKind } from './base/problem.ts';
import { createHash } from './base/random.ts';
import type { WallClock } from './base/time.ts';
import { type Contract, createContract } from './contract/contract.ts';
import { createKeys } from './contract/keys.ts';
import { type Profile, parseSize } from './contract/profile.ts';
import type { PipelineParts } from './http/pipeline.ts';
import { createJournal } from './journal/journal.ts';
import type { KeptWorlds } from './kept-worlds.ts';
import { type OperationId, operationIds, operations } from './operations/index.ts';
import type { AppliedProfile } from './operator-files.ts';
import type { CompiledScenario } from './scenarios/compile.ts';
import type { Library } from './scenarios/library.ts';
import type { WorldSetting } from './world.ts';
import { createWorlds } from './worlds.ts';

/** What the API is played with. */
export interface Assembly extends AppliedProfile, Pick<WorldSetting, 'sender' | 'clock' | 'endpoint'> {
  readonly seed: string;
  readonly strict: boolean;
  readonly apiKeys: readonly string[];
  readonly library: Library;
  /** Switched on for all projects, nearest first. */
  readonly serverScenarios: readonly CompiledScenario[];
  /** In force behind all others. */
  readonly magicIds: CompiledScenario | undefined;
  readonly wall: WallClock;
  /** The document, where it was compiled already. */
  readonly contract?: Contract;
  /** Told of a bug of ours, under an id that nothing else has. */
  bug(id: string, error: unknown): void;
  /** Told of a project that went because there were too many. */
  letGo?(project: string): void;
  /** Where worlds are kept beside the memory. */
  readonly keptWorlds?: KeptWorlds | undefined;
  /** Told of a request that was answered 500, since what it has changed can't be kept. */
  unkept?(requestId: string, error: unknown): void;
}

export function assemble(assembly: Assembly): PipelineParts {
  const { profile, document, seed, strict, wall, library, serverScenarios, magicIds, letGo, keptWorlds } = assembly;
  const journal = createJournal();
  const nextId = createCounter(seed);
  const worlds = createWorlds({
    setting: {
      seed,
      wall,
      sender: assembly.sender,
      clock: assembly.clock,
      endpoint: assembly.endpoint,
      duplicates: profile.duplicates,
      attendantAccess: profile.users.attendantAccess,
      strict,
      retriesMs: profile.callbacks.retries.map(toMs),
      concurrency: profile.callbacks.concurrency,
    },
    journal,
    bug: (error) => assembly.bug(nextId(), error),
    serverScenarios,
    magicIds,
    ...(letGo && { letGo }),
    ...(keptWorlds && { keptWorlds }),
  });
  return {
    contract: assembly.contract ?? createContract(document, profile.limits.depth),
    keys: createKeys(assembly.apiKeys),
    worlds,
    journal,
    library,
    wall,
    limits: { bytes: parseSize(profile.limits.body), depth: profile.limits.depth, entries: profile.limits.entries },
    strict,
    statuses: toStatuses(profile),
    processingMs: toMs(profile.downstream.processing),
    strayId: nextId,
    noteUnkept: (id, error) => assembly.unkept?.(id, error),
    modeOf: createModes(profile),
    seed,
    defaultClock: assembly.clock,
  };
}

function toMs(duration: string): number {
  return parseDuration(duration) ?? 0;
}

function createCounter(seed: string): () => string {
  const ids = createHash(seed, '', 'request');
  let count = 0;
  return () => `req_${ids.of(String(++count))}`;
}

/** What a profile calls `notFound` holds for records and paths alike. */
function toStatuses({ errors }: Profile): Partial<Record<ProblemKind, number>> {
  return { ...errors, unknownPath: errors.notFound };
}

function createModes({ operations: overrides }: Profile): PipelineParts['modeOf'] {
  const modes = new Map(
    operationIds.map((id) => [id, { mode: overrides[id]?.mode ?? operations[id].mode, status: overrides[id]?.status }]),
  );
  return (id: OperationId) => modes.get(id) ?? { mode: 'sync', status: undefined };
}

/** Creates the parts that simulate the API, for a running server and for the replay of a recording. */

import { createCallbackFormat } from './callbacks/format.ts';
import type { AppliedProfile } from './config/config-files.ts';
import type { RequestHandlerDeps, RequestPlacement } from './http/handler-deps.ts';
import { createResponseRedaction } from './http/redact.ts';
import { createApiReplies } from './http/reply.ts';
import { Journal, journalLimits, toJournalLimits } from './journal/journal.ts';
import { isBound, opens } from './keys/api-key.ts';
import type { KeyRing } from './keys/key-ring.ts';
import { createProjectQuota } from './keys/project-quota.ts';
import { parseDuration } from './lib/duration.ts';
import { createHash } from './lib/random.ts';
import type { WallClock } from './lib/time.ts';
import { type Contract, createContract } from './openapi/contract.ts';
import { type Profile, parseSize, toStatuses } from './openapi/profile/profile.ts';
import { type OperationId, operationIds, operations } from './operations/index.ts';
import type { ProjectStore } from './project/persistence/project-store.ts';
import type { Project, ProjectOptions } from './project/project.ts';
import { ProjectRegistry } from './project/registry.ts';
import type { CompiledScenario } from './scenarios/compile.ts';
import type { Library } from './scenarios/library.ts';
import { Admission, ServerMemory } from './usage/admission.ts';
import type { ProjectLimits } from './usage/limits.ts';
import type { SlotKey } from './usage/shares.ts';

/** Options of `createCore`. */
export interface CoreOptions extends AppliedProfile, Pick<ProjectOptions, 'sender' | 'clock' | 'endpoint'> {
  readonly seed: string;
  readonly strict: boolean;
  readonly keys: KeyRing;
  readonly library: Library;
  /** Scenarios that are active in all projects, highest priority first. */
  readonly serverScenarios: readonly CompiledScenario[];
  /** The scenario for magic ids, with the lowest priority. */
  readonly magicIds: CompiledScenario | undefined;
  readonly wall: WallClock;
  /** The compiled contract, if the caller has one already. */
  readonly contract?: Contract;
  /** Reports an internal error under a unique id. */
  reportError(id: string, error: unknown): void;
  /** Called when a project was evicted because there were too many. */
  onEvict?(project: string): void;
  /** Saves projects to files; without it, projects are in memory only. */
  readonly store?: ProjectStore | undefined;
  /** Where requests are applied; undefined: at this server. */
  readonly placement?: RequestPlacement | undefined;
  /** Identifies this server among those that share the projects. */
  readonly origin?: string | undefined;
  /** The limits of each project; a replay has none. */
  readonly limits?: ProjectLimits;
  /** The memory limit of the server; without it, memory is not limited. */
  readonly memory?: ServerMemory;
  /** Whether the journal keeps all requests of a project, as long as there is memory. Default: false. */
  readonly keepsAllRequests?: boolean;
  /** Whether an idle project without a file may be evicted. Default: true. */
  readonly evictsWithoutFiles?: boolean;
  /** Reports a request whose changes could not be saved; its response has the status 500. */
  onUnsaved?(requestId: string, error: unknown): void;
}

export function createCore(options: CoreOptions): RequestHandlerDeps {
  const { profile, document, seed, strict, wall, library, serverScenarios, magicIds, onEvict, store } = options;
  const separatesRegions = profile.regions.separate;
  const { limits = {}, memory = new ServerMemory(Number.POSITIVE_INFINITY) } = options;
  const journal = new Journal({
    ...toJournalLimits(profile.limits.journal, Math.min(journalLimits.bytes, memory.limit * journalShare)),
    ...(options.keepsAllRequests && { entriesPerProject: unlimited, bytesPerProject: unlimited }),
    roomOf: (project) => remainingBytes(projects.peek(project), limits),
    ...(options.origin !== undefined && { minNumber: () => wall.now() * numbersPerMs }),
  });
  const nextId = createCounter(seed, options.origin);
  const { keys } = options;
  const statuses = toStatuses(profile);
  const callbackFormat = createCallbackFormat(profile.callbacks, profile.bodies['callback']);
  const projects: ProjectRegistry = new ProjectRegistry({
    options: {
      seed,
      wall,
      sender: options.sender,
      clock: options.clock,
      endpoint: options.endpoint,
      rules: profile,
      separatesRegions,
      strict,
      retriesMs: profile.callbacks.retries.map(toMs),
      timeoutMs: toMs(profile.callbacks.timeout),
      concurrency: profile.callbacks.concurrency,
      redactResponse: createResponseRedaction(keys.isKey),
      format: callbackFormat,
      memory,
    },
    journal,
    reportError: (error) => options.reportError(nextId(), error),
    serverScenarios,
    magicIds,
    evictsWithoutFiles: options.evictsWithoutFiles ?? true,
    hasRoom: () => journal.bytes() + memory.bytes <= memory.limit,
    ...(onEvict && { onEvict }),
    ...(store && { store }),
  });
  const projectsOf = ({ id }: SlotKey): readonly Project[] | undefined => {
    const key = keys.findById(id);
    return key && isBound(key) ? projects.list().filter((one) => opens(key, one.id, separatesRegions)) : undefined;
  };
  const admission: Admission = new Admission({
    limits,
    journal,
    memory,
    projectsOf,
    evictIdle: (bytes, of) => projects.evictIdle(bytes, of),
  });
  // Rejected requests use journal memory too, and so does what deferred commands replace, so check the limit after each.
  const trim = (): void => {
    if (admission.bytes() > memory.limit) journal.trim(Math.max(0, memory.limit - memory.bytes));
  };
  journal.subscribe(trim);
  projects.on('commandApplied', trim);
  return {
    contract: options.contract ?? createContract(document, profile.limits.depth),
    keys,
    projects,
    journal,
    library,
    wall,
    limits: { ...profile.limits, bytes: parseSize(profile.limits.body) },
    strict,
    bodyRules: profile,
    maxRate: profile.rate && { ...profile.rate, perMs: toMs(profile.rate.per) },
    statuses,
    replies: createApiReplies(profile, statuses, keys.isKey),
    processingMs: toMs(profile.downstream.processing),
    callbackFormat,
    createRequestId: nextId,
    logUnsaved: (id, error) => options.onUnsaved?.(id, error),
    modeOf: createModes(profile),
    seed,
    admission,
    projectQuota: createProjectQuota(projects, profile.limits.key.projects, separatesRegions),
    defaultClock: options.clock,
    placement: options.placement,
  };
}

const unlimited = Number.POSITIVE_INFINITY;

/** Maximum share of the server's memory that the journal may use. */
const journalShare = 0.25;

/** Returns the number of bytes that a project has left for its journal. */
function remainingBytes(project: Project | undefined, { bytes = Number.POSITIVE_INFINITY }: ProjectLimits): number {
  return (project?.usage.byteLimit ?? bytes) - (project?.usage.bytes ?? 0);
}

function toMs(duration: string): number {
  return parseDuration(duration) ?? 0;
}

/** Requests of several servers are listed in order of time, by their numbers. */
const numbersPerMs = 100;

/** Creates ids of requests. Those of servers with different origins differ. */
function createCounter(seed: string, origin = ''): () => string {
  const ids = createHash(seed, '', `request${origin}`);
  let count = 0;
  return () => `req_${ids.of(String(++count))}`;
}

/** Returns the function that looks up the mode and the status of an operation under a profile. */
export function createModes({ operations: overrides }: Profile): RequestHandlerDeps['modeOf'] {
  const modes = new Map(
    operationIds.map((id) => [id, { mode: overrides[id]?.mode ?? operations[id].mode, status: overrides[id]?.status }]),
  );
  return (id: OperationId) => modes.get(id) ?? { mode: 'sync', status: undefined };
}

/** Decides whether a request may make its project larger, before the request is applied. */
import type { Problem } from '../lib/problem.ts';
import { type BodyBudget, createBodyBudget } from './body-budget.ts';
import { type ClientSlots, createClientSlots, type SlotKey } from './client-slots.ts';
import {
  type KeyLimits,
  keyShare,
  type LimitName,
  type ProjectLimits,
  toLimitExceeded,
  toMemoryFull,
} from './limits.ts';
import type { ProjectUsage } from './project-usage.ts';
import { createRate, type Rate } from './rate.ts';
import type { ServerMemory } from './server-memory.ts';
import { sizeOfText } from './size.ts';
import { createTurns, type Turns } from './turns.ts';

/** What a project uses. One that does not exist uses nothing. */
export type UsedProject = Pick<AdmittedProject, 'id' | 'usage'>;

/** The part of a project that admission needs. */
export interface AdmittedProject {
  readonly id: string;
  readonly usage: ProjectUsage;
  readonly state: {
    readonly records: Readonly<Record<'jobs' | 'orders' | 'routes' | 'users' | 'devices', { readonly size: number }>>;
  };
}

/** How much a request makes its project larger. */
export interface Growth {
  /** Number of records that it may create. Called only if there may be too many. */
  records(): number;
  /** Upper bound for `records`. */
  readonly maxRecords: number;
  /** Size in bytes: a quick upper bound, and an estimate. */
  readonly bytes: { readonly max: number; exact(): number };
  /** Number of deferred commands that it adds. */
  readonly pending: number;
}

/** The part of a journal that admission needs to free memory. */
interface BoundedJournal {
  bytes(project?: string): number;
  trim(bytes: number, project?: string): void;
}

/** The limits of the request's API key replace those of the profile, and no key takes more than half of the memory. */
export interface Admission {
  /** Returns the problem if a request may not make its project this much larger, or undefined. */
  admit(project: AdmittedProject, growth: Growth, key?: SlotKey): Problem | undefined;
  /** Does the same for records that replace all records and everything pending. */
  admitRestore(
    project: UsedProject,
    restored: { readonly records: number; readonly bytes: number },
    key?: SlotKey,
  ): Problem | undefined;
  /** Returns the problem if this many rules may not be activated for a project, or undefined. */
  admitScenarios(
    project: UsedProject,
    wanted: { readonly rules: number; readonly bytes: number },
    key?: SlotKey,
  ): Problem | undefined;
  /** Returns the problem if the parsed body would not fit into V8's heap, or undefined. */
  admitParsing(text: string): Problem | undefined;
  readonly rate: Rate;
  /** Seats for requests with delayed responses. */
  readonly waiting: ClientSlots;
  /** Seats for event streams. */
  readonly followers: ClientSlots;
  readonly bodies: BodyBudget;
  readonly turns: Turns;
  /** Returns the problem if the server may not grow by this many bytes that belong to no project, or undefined. */
  admitBytes(bytes: number): Problem | undefined;
  /**
   * Reserves bytes for work that is not counted before it ends, such as a copy. `release` gives them back. Returns the
   * problem if the server may not grow by them.
   */
  reserve(
    bytes: number,
    key?: SlotKey,
    project?: string,
  ): { readonly release: () => void } | { readonly problem: Problem };
  readonly limits: ProjectLimits;
  readonly memory: ServerMemory;
  bytes(): number;
  readonly rejectedCounts: ReadonlyMap<RejectingLimit, number>;
}

type RejectingLimit = LimitName | 'memory' | 'bodies';

/** Maximum number of waiting requests, and of event streams, in all projects together. */
const maxSeats = 10_000;

/** Heap of a waiting request and of an event stream, including the socket's share, in bytes. */
const waitingBytes = 8 * 1024;
const followerBytes = 24 * 1024;

/** Share of the server's memory that the bodies being read may use. */
const bodyShare = 1 / 8;

/** Length below which a text is parsed without checking the heap, in characters. */
const minCheckedLength = 256 * 1024;

interface Parts {
  readonly limits: ProjectLimits;
  readonly journal: BoundedJournal;
  readonly memory: ServerMemory;
  /** Evicts idle projects except this one, of all or only of some, until `bytes` bytes are free or none is idle. */
  evictIdle(bytes: number, except: string, of?: ReadonlySet<string>): void;
  /** Returns the projects in memory that a key opens, or undefined if it opens all. */
  projectsOf?(key: SlotKey): readonly UsedProject[] | undefined;
}

export function countRecords({ state: { records } }: AdmittedProject): number {
  const { jobs, orders, routes, users, devices } = records;
  return jobs.size + orders.size + routes.size + users.size + devices.size;
}

export function createAdmission({ limits, journal, memory, evictIdle, projectsOf }: Parts): Admission {
  const refused = new Map<RejectingLimit, number>();
  /** Bytes that are reserved for requests, by API key. */
  const reserved = new Map<string, number>();

  const bytes = (): number => memory.bytes + journal.bytes();
  const count = (name: RejectingLimit): void => void refused.set(name, (refused.get(name) ?? 0) + 1);

  const limitOf = (name: LimitName, own: KeyLimits | undefined): number =>
    own?.[name] ?? limits[name] ?? Number.POSITIVE_INFINITY;

  function reject(name: LimitName, own: KeyLimits | undefined, held: number | undefined, added: number): Problem {
    count(name);
    return toLimitExceeded({ name, limit: limitOf(name, own), held, added, isOfKey: own?.[name] !== undefined });
  }

  function checkRecords(project: AdmittedProject, growth: Growth, own: KeyLimits | undefined): Problem | undefined {
    const limit = limitOf('records', own);
    if (limit === Number.POSITIVE_INFINITY) return undefined;
    const held = countRecords(project) + project.usage.pendingRecords;
    if (held + growth.maxRecords <= limit) return undefined;
    const added = growth.records();
    return added > 0 && held + added > limit ? reject('records', own, held, added) : undefined;
  }

  /** Checks the byte limit of a project. The journal drops old requests before a request is rejected. */
  function checkBytes(
    { id, usage }: UsedProject,
    held: number,
    added: number,
    own: KeyLimits | undefined,
  ): Problem | undefined {
    const limit = limitOf('bytes', own);
    if (held + added > limit) return reject('bytes', own, held, added);
    usage.byteLimit = limit;
    if (held + journal.bytes(id) + added > limit) journal.trim(limit - held - added, id);
    return undefined;
  }

  /** Returns by how much the projects of a key would exceed its share of the server's memory, and these projects. */
  function excessOf(key: SlotKey | undefined, added: number) {
    const share = memory.limit * keyShare;
    const own = key && bytes() + added > share ? projectsOf?.(key) : undefined;
    if (!own) return { own: [], excess: 0 };
    const before = added + (reserved.get(key?.id ?? '') ?? 0);
    return { own, excess: own.reduce((held, { id, usage }) => held + usage.bytes + journal.bytes(id), before) - share };
  }

  /** Checks the share of a key. Evicts its idle projects, then drops old requests, before a request is rejected. */
  function checkShare(project: string, added: number, key: SlotKey | undefined): Problem | undefined {
    const { own, excess } = excessOf(key, added);
    if (excess <= 0) return undefined;
    evictIdle(excess, project, new Set(own.map(({ id }) => id)));
    const left = excessOf(key, added).excess;
    if (left > 0 && project !== '') journal.trim(Math.max(0, journal.bytes(project) - left), project);
    return excessOf(key, added).excess > 0 ? rejectByMemory(added, false, true) : undefined;
  }

  /** Checks the server's memory. Evicts idle projects, then drops old requests, and only then rejects a request. */
  function checkMemory(project: string, added: number, key: SlotKey | undefined): Problem | undefined {
    const overShare = checkShare(project, added, key);
    if (overShare) return overShare;
    if (memory.isHeapFull()) {
      evictIdle(added, project);
      journal.trim(journal.bytes() / 2);
      return rejectByMemory(added, true);
    }
    if (bytes() + added <= memory.limit) return undefined;
    evictIdle(bytes() + added - memory.limit, project);
    if (memory.bytes + added > memory.limit) return rejectByMemory(added, false);
    if (bytes() + added > memory.limit) journal.trim(memory.limit - added - memory.bytes);
    return undefined;
  }

  function rejectByMemory(added: number, isHeapFull: boolean, isShare = false): Problem {
    count('memory');
    return toMemoryFull({ limit: memory.limit, held: bytes(), added, isHeapFull, isShare });
  }

  const createSlots = (name: 'waiting' | 'followers', bytesEach: number): ClientSlots => {
    const onRejected = () => count(name);
    return createClientSlots({ name, limit: limits[name], max: maxSeats, bytesEach, memory, onRejected });
  };

  return {
    limits,
    memory,
    bytes,
    rejectedCounts: refused,
    admit: (project, growth, key) => {
      const { usage, id } = project;
      const own = key?.limits;
      const problem = checkRecords(project, growth, own);
      if (problem) return problem;
      if (growth.pending > 0 && usage.pending + growth.pending > limitOf('pending', own))
        return reject('pending', own, usage.pending, growth.pending);
      const { max, exact } = growth.bytes;
      const byteLimit = limitOf('bytes', own);
      const fitsProject = usage.bytes + journal.bytes(id) + max <= byteLimit;
      if (fitsProject && bytes() + max <= memory.limit && !memory.isHeapFull() && excessOf(key, max).excess <= 0) {
        usage.byteLimit = byteLimit;
        return undefined;
      }
      const added = exact();
      usage.recount();
      return checkBytes(project, usage.bytes, added, own) ?? checkMemory(id, added, key);
    },
    admitRestore: (project, { records, bytes: added }, key) => {
      const { id, usage } = project;
      const own = key?.limits;
      if (records > limitOf('records', own)) return reject('records', own, undefined, records);
      // The current records stay in memory until the new ones have replaced them.
      return checkBytes(project, usage.bytes - usage.recordBytes, added, own) ?? checkMemory(id, added, key);
    },
    admitScenarios: (project, { rules, bytes: added }, key) => {
      const { id, usage } = project;
      const own = key?.limits;
      if (rules > limitOf('scenarios', own)) return reject('scenarios', own, undefined, rules);
      return checkBytes(project, usage.bytes, added, own) ?? checkMemory(id, added, key);
    },
    admitBytes: (added) => checkMemory('', added, undefined),
    reserve: (added, key, project = '') => {
      const problem = checkMemory(project, added, key);
      if (problem) return { problem };
      const reserve = (by: number): void => {
        memory.bytes += by;
        if (key) reserved.set(key.id, (reserved.get(key.id) ?? 0) + by);
      };
      reserve(added);
      const release = (): void => reserve(-added);
      return { release };
    },
    admitParsing: (text) => {
      if (text.length < minCheckedLength) return undefined;
      const added = sizeOfText(text);
      return memory.fitsHeap(added) ? undefined : rejectByMemory(added, true);
    },
    rate: createRate(limits.requestsPerSecond, () => count('requestsPerSecond')),
    waiting: createSlots('waiting', waitingBytes),
    followers: createSlots('followers', followerBytes),
    bodies: createBodyBudget(memory.limit * bodyShare, () => count('bodies')),
    turns: createTurns(),
  };
}

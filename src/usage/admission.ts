/** Decides whether a request may make its project larger, before the request is applied, and tracks the server's memory. */
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import type { Problem } from '../lib/problem.ts';
import {
  type KeyLimits,
  keyShare,
  type LimitName,
  type ProjectLimits,
  toLimitExceeded,
  toMemoryFull,
} from './limits.ts';
import { BodyBudget, ClientSlots, type SlotKey, Tally, Turns } from './shares.ts';
import { type ByteTotal, type ProjectUsage, sizeOfText } from './size.ts';

/** The part of a project that admission needs. One that does not exist uses nothing. */
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
  /** Estimated size in bytes. */
  readonly bytes: number;
  /** Number of deferred commands that it adds. */
  readonly pending: number;
}

/** The part of a journal that admission needs to free memory. */
interface BoundedJournal {
  bytes(project?: string): number;
  trim(bytes: number, project?: string): void;
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
  /** Evicts idle projects, of all or only of some, until `bytes` bytes are free or none is idle. */
  evictIdle(bytes: number, of?: ReadonlySet<string>): void;
  /** Returns the projects in memory that a key opens, or undefined if it opens all. */
  projectsOf?(key: SlotKey): readonly Pick<AdmittedProject, 'id' | 'usage'>[] | undefined;
}

export function countRecords({ state: { records } }: AdmittedProject): number {
  const { jobs, orders, routes, users, devices } = records;
  return jobs.size + orders.size + routes.size + users.size + devices.size;
}

/** The rejection of a request that exceeds the rate limit. */
interface RateRejection {
  readonly problem: Problem;
  /** Whether it is the first rejection of its project in this second. */
  readonly isFirst: boolean;
}

/** The limits of the request's API key replace those of the profile, and no key takes more than half of the memory. */
export class Admission {
  readonly limits: ProjectLimits;
  readonly memory: ServerMemory;
  /** Seats for requests with delayed responses. */
  readonly waiting: ClientSlots;
  /** Seats for event streams. */
  readonly followers: ClientSlots;
  readonly bodies: BodyBudget;
  readonly turns: Turns = new Turns();
  readonly #parts: Parts;
  readonly #rejectedCounts = new Map<RejectingLimit, number>();
  /** Bytes that are reserved for requests, by API key. */
  readonly #reserved = new Tally();
  /** Number of requests by project, in the current second of the wall clock. */
  readonly #requestCounts = new Map<string, number>();
  #second = 0;

  constructor(parts: Parts) {
    const { limits, memory } = parts;
    this.limits = limits;
    this.memory = memory;
    this.#parts = parts;
    const createSlots = (name: 'waiting' | 'followers', bytesEach: number): ClientSlots =>
      new ClientSlots({
        name,
        limit: limits[name],
        max: maxSeats,
        bytesEach,
        memory,
        onRejected: () => this.#count(name),
      });
    this.waiting = createSlots('waiting', waitingBytes);
    this.followers = createSlots('followers', followerBytes);
    this.bodies = new BodyBudget(memory.limit * bodyShare, () => this.#count('bodies'));
  }

  get rejectedCounts(): ReadonlyMap<RejectingLimit, number> {
    return this.#rejectedCounts;
  }

  /** Returns the memory in use, in bytes. */
  bytes(): number {
    return this.memory.bytes + this.#parts.journal.bytes();
  }

  /**
   * Counts a request of a project at a time in monotonic milliseconds, unless its rate has no limit. Returns undefined if
   * it is within the limit: that of its API key (`own`), or of the profile.
   */
  checkRate(project: string, elapsedMs: number, own?: KeyLimits): RateRejection | undefined {
    const limit = own?.requestsPerSecond ?? this.limits.requestsPerSecond;
    if (limit === undefined) return undefined;
    const second = Math.floor(elapsedMs / 1000);
    // A request that was slow to say its project began in an earlier one.
    if (second > this.#second) {
      this.#requestCounts.clear();
      this.#second = second;
    }
    const count = this.#requestCounts.get(project) ?? 0;
    this.#requestCounts.set(project, count + 1);
    if (count < limit) return undefined;
    return { problem: this.#reject('requestsPerSecond', own, limit, 1), isFirst: count === limit };
  }

  /** Returns the problem if a request may not make its project this much larger, or undefined. */
  admit(project: AdmittedProject, growth: Growth, key?: SlotKey): Problem | undefined {
    const { usage, id } = project;
    const own = key?.limits;
    const problem = this.#checkRecords(project, growth, own);
    if (problem) return problem;
    if (growth.pending > 0 && usage.pending + growth.pending > this.#limitOf('pending', own))
      return this.#reject('pending', own, usage.pending, growth.pending);
    const { bytes } = growth;
    const byteLimit = this.#limitOf('bytes', own);
    const fitsProject = usage.bytes + this.#parts.journal.bytes(id) + bytes <= byteLimit;
    if (fitsProject && this.#fitsServer(bytes, key)) {
      usage.byteLimit = byteLimit;
      return undefined;
    }
    usage.recount();
    return this.#checkBytes(project, usage.bytes, bytes, key);
  }

  /** Does the same for records that replace all records and everything pending, or for rules that are activated. */
  admitAll(
    project: AdmittedProject,
    { records, rules = 0, bytes }: { readonly records?: number; readonly rules?: number; readonly bytes: number },
    key?: SlotKey,
  ): Problem | undefined {
    const [name, count] = records === undefined ? (['scenarios', rules] as const) : (['records', records] as const);
    if (count > this.#limitOf(name, key?.limits)) return this.#reject(name, key?.limits, undefined, count);
    // The current records stay in memory until the new ones have replaced them.
    const { bytes: held, recordBytes } = project.usage;
    return this.#checkBytes(project, records === undefined ? held : held - recordBytes, bytes, key);
  }

  /** Returns the problem if the server may not grow by this many bytes that belong to no project, or undefined. */
  admitBytes(added: number): Problem | undefined {
    return this.#checkMemory('', added, undefined);
  }

  /** Returns the problem if the parsed body would not fit into V8's heap, or undefined. */
  admitParsing(text: string): Problem | undefined {
    if (text.length < minCheckedLength) return undefined;
    const added = sizeOfText(text);
    return this.memory.fitsHeap(added) ? undefined : this.#rejectByMemory(added, true);
  }

  /**
   * Reserves bytes for work that is not counted before it ends, such as a copy. `release` gives them back. Returns the
   * problem if the server may not grow by them.
   */
  reserve(
    added: number,
    key?: SlotKey,
    project = '',
  ): { readonly release: () => void } | { readonly problem: Problem } {
    const problem = this.#checkMemory(project, added, key);
    if (problem) return { problem };
    const reserve = (by: number): void => {
      this.memory.bytes += by;
      this.#reserved.add(key?.id, by);
    };
    reserve(added);
    return { release: () => reserve(-added) };
  }

  #limitOf(name: LimitName, own: KeyLimits | undefined): number {
    return own?.[name] ?? this.limits[name] ?? Number.POSITIVE_INFINITY;
  }

  #count(name: RejectingLimit): void {
    this.#rejectedCounts.set(name, (this.#rejectedCounts.get(name) ?? 0) + 1);
  }

  #reject(name: LimitName, own: KeyLimits | undefined, held: number | undefined, added: number): Problem {
    this.#count(name);
    return toLimitExceeded({ name, limit: this.#limitOf(name, own), held, added, isOfKey: own?.[name] !== undefined });
  }

  #rejectByMemory(added: number, isHeapFull: boolean, isShare = false): Problem {
    this.#count('memory');
    return toMemoryFull({ limit: this.memory.limit, added, isHeapFull, isShare });
  }

  #checkRecords(project: AdmittedProject, growth: Growth, own: KeyLimits | undefined): Problem | undefined {
    const limit = this.#limitOf('records', own);
    if (limit === Number.POSITIVE_INFINITY) return undefined;
    const held = countRecords(project) + project.usage.pendingRecords;
    if (held + growth.maxRecords <= limit) return undefined;
    const added = growth.records();
    return added > 0 && held + added > limit ? this.#reject('records', own, held, added) : undefined;
  }

  /** Whether there is room without eviction. */
  #fitsServer(added: number, key: SlotKey | undefined): boolean {
    const { memory } = this;
    return this.bytes() + added <= memory.limit && memory.fitsHeap(0) && this.#excessOf(key, added) <= 0;
  }

  /** Checks the byte limit of a project, then the server. The journal drops old requests before a request is rejected. */
  #checkBytes({ id, usage }: AdmittedProject, held: number, added: number, key?: SlotKey): Problem | undefined {
    const { journal } = this.#parts;
    const limit = this.#limitOf('bytes', key?.limits);
    if (held + added > limit) return this.#reject('bytes', key?.limits, held, added);
    usage.byteLimit = limit;
    if (held + journal.bytes(id) + added > limit) journal.trim(limit - held - added, id);
    return this.#checkMemory(id, added, key);
  }

  /** Checks the server's memory. Evicts idle projects, then drops old requests, and only then rejects a request. */
  #checkMemory(project: string, added: number, key: SlotKey | undefined): Problem | undefined {
    const overShare = key && this.#checkShare(project, added, key);
    if (overShare) return overShare;
    const { memory } = this;
    const { journal, evictIdle } = this.#parts;
    if (!memory.fitsHeap(0)) {
      evictIdle(added);
      journal.trim(journal.bytes() / 2);
      return this.#rejectByMemory(added, true);
    }
    if (this.bytes() + added <= memory.limit) return undefined;
    evictIdle(this.bytes() + added - memory.limit);
    if (memory.bytes + added > memory.limit) return this.#rejectByMemory(added, false);
    if (this.bytes() + added > memory.limit) journal.trim(memory.limit - added - memory.bytes);
    return undefined;
  }

  /**
   * Checks the share of a key. Counts its projects again, evicts those that are idle, then drops old requests, before a
   * request is rejected.
   */
  #checkShare(project: string, added: number, key: SlotKey): Problem | undefined {
    if (this.#excessOf(key, added) <= 0) return undefined;
    const { journal, evictIdle, projectsOf } = this.#parts;
    const own = projectsOf?.(key) ?? [];
    for (const { usage } of own) usage.recount();
    const excess = this.#excessOf(key, added);
    if (excess <= 0) return undefined;
    evictIdle(excess, new Set(own.map(({ id }) => id)));
    const left = this.#excessOf(key, added);
    if (left > 0 && project !== '') journal.trim(Math.max(0, journal.bytes(project) - left), project);
    return this.#excessOf(key, added) > 0 ? this.#rejectByMemory(added, false, true) : undefined;
  }

  /** Returns by how much the projects of a key would exceed its share of the server's memory, in bytes. */
  #excessOf(key: SlotKey | undefined, added: number): number {
    const share = this.memory.limit * keyShare;
    const own = key && this.bytes() + added > share ? this.#parts.projectsOf?.(key) : undefined;
    if (!own) return 0;
    const before = added + this.#reserved.of(key?.id);
    return own.reduce((held, { id, usage }) => held + usage.bytes + this.#parts.journal.bytes(id), before) - share;
  }
}

/** Share of V8's heap that may be counted. The rest is for requests that are being read, and for garbage. */
const maxHeapShare = 0.75;

/** Default share of the memory of the machine or its container. */
const defaultMachineShare = 0.7;

/** Share of V8's heap above which nothing may grow, independent of the counted bytes. */
const fullHeapShare = 0.9;

/** Returns the maximum of `--memory` on this Node process, in bytes. */
export function maxMemory(): number {
  return Math.floor(getHeapStatistics().heap_size_limit * maxHeapShare);
}

/** Returns the default of `--memory`, in bytes. */
export function defaultMemory(): number {
  // Node returns 0 or a huge number if there is no limit.
  const container = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.floor(Math.min(defaultMachineShare * Math.min(totalmem(), container), maxMemory()));
}

type Heap = () => { readonly used_heap_size: number; readonly heap_size_limit: number };

export class ServerMemory implements ByteTotal {
  readonly limit: number;
  bytes = 0;
  readonly #heap: Heap;

  constructor(limit: number, heap: Heap = getHeapStatistics) {
    this.limit = limit;
    this.#heap = heap;
  }

  /** Whether this many more bytes fit into V8's heap now. Takes less than a microsecond. */
  fitsHeap(added: number): boolean {
    const { used_heap_size: used, heap_size_limit: max } = this.#heap();
    return used + added <= fullHeapShare * max;
  }
}

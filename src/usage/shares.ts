/** What all clients of a server share, so that no API key takes all of it: seats of waiting clients, bodies, and turns. */
import type { Problem } from '../lib/problem.ts';
import { timers } from '../lib/timers.ts';
import { type KeyLimits, keyShare, toLimitExceeded, toServerBusy } from './limits.ts';
import type { ByteTotal } from './size.ts';

/** The API key of a client. */
export interface SlotKey {
  readonly id: string;
  readonly limits: KeyLimits | undefined;
}

interface SlotParts {
  readonly name: 'waiting' | 'followers';
  /** Maximum number in a project. */
  readonly limit: number | undefined;
  /** Maximum number in all projects together. */
  readonly max: number;
  /** Heap size of each waiting client, in bytes. */
  readonly bytesEach: number;
  readonly memory: ByteTotal;
  onRejected(): void;
}

/** An amount in all, and of each name. */
export class Tally {
  total = 0;
  readonly #byName = new Map<string, number>();

  of(name: string | undefined): number {
    return this.#byName.get(name ?? '') ?? 0;
  }

  add(name: string | undefined, change: number): void {
    this.total += change;
    if (name === undefined) return;
    const amount = this.of(name) + change;
    if (amount > 0) this.#byName.set(name, amount);
    else this.#byName.delete(name);
  }
}

/** Counts the waiting clients of each project, of each API key and of the server, and enforces limits on all three. */
export class ClientSlots {
  readonly #parts: SlotParts;
  /** Taken slots by project. Clients that wait in no project are counted under the empty name, which no project has. */
  readonly #taken = new Tally();
  readonly #takenByKey = new Tally();

  constructor(parts: SlotParts) {
    this.#parts = parts;
  }

  /**
   * Returns the problem if no more clients may wait in a project, or without a project, or undefined. The limits of the
   * client's API key replace the one of the profile. No key takes more than half of all slots, however many projects it has.
   */
  check(project: string | undefined, key?: SlotKey): Problem | undefined {
    const problem = this.#findProblem(project, key);
    if (problem) this.#parts.onRejected();
    return problem;
  }

  count(project = ''): number {
    return this.#taken.of(project);
  }

  /** Takes a slot. Returns a function that releases it; later calls of it do nothing. */
  take(project = '', key?: SlotKey): () => void {
    const change = (by: number): void => {
      this.#taken.add(project, by);
      this.#takenByKey.add(key?.id, by);
      this.#parts.memory.bytes += by * this.#parts.bytesEach;
    };
    change(1);
    let isTaken = true;
    return () => {
      if (isTaken) change(-1);
      isTaken = false;
    };
  }

  #findProblem(project: string | undefined, key: SlotKey | undefined): Problem | undefined {
    const { name, max, limit: ofProfile } = this.#parts;
    const held = this.count(project);
    const own = key?.limits?.[name];
    const limit = own ?? ofProfile;
    if (limit !== undefined && held >= limit)
      return toLimitExceeded({ name, limit, held, added: 1, isOfKey: own !== undefined });
    const share = max * keyShare;
    if (key && this.#takenByKey.of(key.id) >= share) return toServerBusy(name, share, ' of one API key');
    return this.#taken.total >= max ? toServerBusy(name, max) : undefined;
  }
}

/** A body that is being read. */
interface OpenBody {
  /** Reserves bytes. Returns false if that exceeds the maximum, or the share of its key, which a single body may exceed. */
  take(bytes: number): boolean;
  /** Gives back all bytes. Call it once. */
  close(): void;
}

/** Limits the total size of all request bodies that are being read at the same time, and the share of each API key. */
export class BodyBudget {
  /** Maximum size of all bodies together, in bytes. */
  readonly max: number;
  readonly #onRefused: () => void;
  /** Bytes and number of the open bodies, by API key. */
  readonly #bytes = new Tally();
  readonly #bodies = new Tally();

  constructor(max: number, onRefused: () => void = () => undefined) {
    this.max = max;
    this.#onRefused = onRefused;
  }

  /** Begins a body. `key`: the id of its API key, if it has one. */
  open(key?: string): OpenBody {
    let taken = 0;
    this.#bodies.add(key, 1);
    return {
      take: (bytes) => {
        if (this.#bytes.total + bytes > this.max) return false;
        const isShared = this.#bodies.of(key) > 1;
        if (isShared && this.#bytes.of(key) + bytes > this.max * keyShare) return false;
        this.#bytes.add(key, bytes);
        taken += bytes;
        return true;
      },
      close: () => {
        this.#bytes.add(key, -taken);
        this.#bodies.add(key, -1);
      },
    };
  }

  /** Returns the problem for a request whose body exceeds the maximum, and counts it. */
  refusal(): Problem {
    this.#onRefused();
    const limit = this.max.toLocaleString('en');
    const message = `the bodies that the server is receiving must be at most ${limit} bytes together, an eighth of --memory, and those of one API key half of that; try again in 1 s`;
    return { kind: 'unavailable', message, headers: { 'retry-after': '1' } };
  }
}

/** Minimum length of a body for which its request waits for a turn, in characters. Parsing less takes a few milliseconds. */
const heavyLength = 100_000;

/** Whether a request with this text waits for a turn. */
export function isHeavy(text: string): boolean {
  return text.length > heavyLength;
}

/** Time after which a request counts as heavy, whatever its length: many entries, mistakes or tests of rules. */
const slowMs = 5;

type Start = () => void;

/** Turns of the event loop between two pieces of work. Node accepts one connection in each; an empty one takes 2 µs. */
const turnsBetween = 32;

/**
 * Lets heavy work run one piece at a time, apart from each other in the event loop, so that it delays small requests by one
 * piece at most. API keys take turns, and the projects of a key take turns within those.
 */
export class Turns {
  /** Waiting work by key and project; the first of each is next. */
  readonly #keys = new Map<string, Map<string, Start[]>>();
  readonly #slow = new Set<string>();
  #isRunning = false;

  /** Notes how long the last request of a key has held the event loop. After a long one, the next waits for its turn. */
  note(key: string, ms: number): void {
    if (ms > slowMs) this.#slow.add(key);
    else this.#slow.delete(key);
  }

  /** Whether a request of this key with this text waits for a turn. */
  isDue(key: string, text: string): boolean {
    return isHeavy(text) || this.#slow.has(key);
  }

  /** Resolves when it is the turn of this work, which then runs until its next `await`. */
  next(key: string, project: string): Promise<void> {
    return new Promise((resolve) => {
      const projects = this.#keys.get(key) ?? new Map<string, Start[]>();
      const starts = projects.get(project) ?? [];
      starts.push(resolve);
      this.#keys.set(key, projects.set(project, starts));
      if (this.#isRunning) return;
      this.#isRunning = true;
      this.#runAfter(1);
    });
  }

  #runAfter(turns: number): void {
    timers.setImmediate(() => (turns > 1 ? this.#runAfter(turns - 1) : this.#runNext()));
  }

  #runNext(): void {
    const next = takeFirst(this.#keys, (projects) => takeFirst(projects, (starts) => starts.shift()));
    this.#isRunning = next !== undefined;
    if (!next) return;
    this.#runAfter(turnsBetween);
    next();
  }
}

/** Takes from the first part, which then becomes the last one, or is removed if it is empty. */
function takeFirst<Part extends { readonly size?: number; readonly length?: number }>(
  parts: Map<string, Part>,
  take: (part: Part) => Start | undefined,
): Start | undefined {
  for (const [name, part] of parts) {
    const start = take(part);
    parts.delete(name);
    if ((part.size ?? part.length ?? 0) > 0) parts.set(name, part);
    return start;
  }
  return undefined;
}

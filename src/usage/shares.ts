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

/** Counts the waiting clients of each project, of each API key and of the server, and enforces limits on all three. */
export class ClientSlots {
  readonly #parts: SlotParts;
  /** Taken slots by project. Clients that wait in no project are counted under the empty name, which no project has. */
  readonly #taken = new Map<string, number>();
  readonly #takenByKey = new Map<string, number>();
  #total = 0;

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
    return this.#taken.get(project) ?? 0;
  }

  /** Takes a slot. Returns a function that releases it; later calls of it do nothing. */
  take(project = '', key?: SlotKey): () => void {
    const change = (by: number): void => {
      add(this.#taken, project, by);
      if (key) add(this.#takenByKey, key.id, by);
      this.#total += by;
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
    if (key && (this.#takenByKey.get(key.id) ?? 0) >= share) return toServerBusy(name, share, ' of one API key');
    return this.#total >= max ? toServerBusy(name, max) : undefined;
  }
}

function add(counts: Map<string, number>, name: string, change: number): void {
  const count = (counts.get(name) ?? 0) + change;
  if (count > 0) counts.set(name, count);
  else counts.delete(name);
}

/** Bodies that are being read. */
interface Held {
  bytes: number;
  bodies: number;
}

/** Limits the total size of all request bodies that are being read at the same time, and the share of each API key. */
export class BodyBudget {
  /** Maximum size of all bodies together, in bytes. */
  readonly max: number;
  readonly #onRefused: () => void;
  readonly #all: Held = { bytes: 0, bodies: 0 };
  readonly #byKey = new Map<string, Held>();

  constructor(max: number, onRefused: () => void = () => undefined) {
    this.max = max;
    this.#onRefused = onRefused;
  }

  /** Begins a body. `key`: the id of its API key, if it has one. */
  open(key?: string): OpenBody {
    if (key === undefined) return new OpenBody(this.max, this.#all);
    const ofKey = this.#byKey.get(key) ?? { bytes: 0, bodies: 0 };
    this.#byKey.set(key, ofKey);
    return new OpenBody(this.max, this.#all, ofKey, () => this.#byKey.delete(key));
  }

  /** Returns the problem for a request whose body exceeds the maximum, and counts it. */
  refusal(): Problem {
    this.#onRefused();
    const limit = this.max.toLocaleString('en');
    const message = `the bodies that the server is receiving must be at most ${limit} bytes together, an eighth of --memory, and those of one API key half of that; try again in 1 s`;
    return { kind: 'unavailable', message, headers: { 'retry-after': '1' } };
  }
}

/** A body that is being read. */
class OpenBody {
  readonly #max: number;
  readonly #all: Held;
  readonly #ofKey: Held | undefined;
  readonly #lastOfKey: (() => void) | undefined;
  #taken = 0;

  /** `lastOfKey`: called when the last body of the key is closed. */
  constructor(max: number, all: Held, ofKey?: Held, lastOfKey?: () => void) {
    this.#max = max;
    this.#all = all;
    this.#ofKey = ofKey;
    this.#lastOfKey = lastOfKey;
    all.bodies += 1;
    if (ofKey) ofKey.bodies += 1;
  }

  /** Reserves bytes. Returns false if that exceeds the maximum, or the share of its key, which a single body may exceed. */
  take(bytes: number): boolean {
    const [all, ofKey] = [this.#all, this.#ofKey];
    if (all.bytes + bytes > this.#max) return false;
    if (ofKey && ofKey.bodies > 1 && ofKey.bytes + bytes > this.#max * keyShare) return false;
    all.bytes += bytes;
    if (ofKey) ofKey.bytes += bytes;
    this.#taken += bytes;
    return true;
  }

  /** Gives back all bytes. Call it once. */
  close(): void {
    this.#release(this.#all);
    if (this.#ofKey) this.#release(this.#ofKey);
    if (this.#ofKey?.bodies === 0) this.#lastOfKey?.();
  }

  #release(held: Held): void {
    held.bytes -= this.#taken;
    held.bodies -= 1;
  }
}

/** Minimum length of a body for which its request waits for a turn, in characters. Parsing less takes a few milliseconds. */
const heavyLength = 100_000;

/** Whether a request with this text waits for a turn. */
export function isHeavy(text: string): boolean {
  return text.length > heavyLength;
}

type Start = () => void;

/**
 * Lets heavy work run one piece at a time, each in its own turn of the event loop, so that it delays small requests by one
 * piece at most. API keys take turns, and the projects of a key take turns within those.
 */
export class Turns {
  /** Waiting work by key and project; the first of each is next. */
  readonly #keys = new Map<string, Map<string, Start[]>>();
  #isRunning = false;

  /** Resolves when it is the turn of this work, which then runs until its next `await`. */
  next(key: string, project: string): Promise<void> {
    return new Promise((resolve) => {
      const projects = this.#keys.get(key) ?? new Map<string, Start[]>();
      const starts = projects.get(project) ?? [];
      starts.push(resolve);
      this.#keys.set(key, projects.set(project, starts));
      if (this.#isRunning) return;
      this.#isRunning = true;
      timers.setImmediate(() => this.#runNext());
    });
  }

  #runNext(): void {
    const next = takeFirst(this.#keys, (projects) => takeFirst(projects, (starts) => starts.shift()));
    this.#isRunning = next !== undefined;
    if (!next) return;
    timers.setImmediate(() => this.#runNext());
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

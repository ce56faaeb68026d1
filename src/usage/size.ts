/** Estimates sizes in V8's heap, in bytes, and counts what one project holds, except for its journal. */
import type { Callback, ReceiverResponse } from '../callbacks/callback.ts';
import { collections, type Records, type TrailPoint } from '../records/records.ts';

/** Size of a map entry with its key, without the value, in bytes. */
export const entryBytes = 120;

/** Number of properties above which V8 stores an object as a dictionary. */
const maxFastProperties = 64;

/** Maximum length of strings that the parser shares between values, so that each costs less than an object. */
const maxSharedLength = 10;

/** Estimates the size of a value, in bytes. Visits every part of it, at about 20 ns each. */
export function sizeOfValue(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return value.length <= maxSharedLength ? 12 : 24 + value.length;
    case 'number':
      return Number.isInteger(value) ? 0 : 12;
    case 'object':
      if (value === null) return 0;
      return Array.isArray(value) ? sizeOfList(value) : sizeOfObject(value);
    default:
      return 0;
  }
}

function sizeOfList(list: readonly unknown[]): number {
  if (list.length === 0) return 32;
  let size = 48 + 8 * list.length;
  for (const item of list) size += sizeOfValue(item);
  return size;
}

function sizeOfObject(object: object): number {
  let count = 0;
  let size = 24;
  for (const key in object) {
    count += 1;
    size += sizeOfValue(object[key as keyof object]);
  }
  // V8 reserves space for four properties in an empty object.
  if (count === 0) return 56;
  return size + (count > maxFastProperties ? 72 : 8) * count;
}

/**
 * Estimates the size of the parsed value of a JSON text, in bytes, by its length alone: typical bodies take twice as much. The
 * records that unusual ones become are counted again near a limit.
 */
export function sizeOfText(text: string): number {
  return 2 * text.length;
}

/** Returns the size of a stored text, in bytes: two per character if it has non-ASCII characters. */
export function sizeOfKeptText(text: string): number {
  return Buffer.byteLength(text) === text.length ? text.length : 2 * text.length;
}

/** Size of a point of a trail without its fields, in bytes. */
const pointBytes = 48;

function sizeOfPoints(points: readonly TrailPoint[]): number {
  let size = 0;
  for (const { point } of points) size += pointBytes + sizeOfValue(point);
  return size;
}

/** Maximum number of records of a collection, and of trails, that are visited to estimate the total. */
const maxVisited = 200;

/** Estimates the size of all records, in bytes. Of many records, it visits a sample at even distances. */
export function sizeOfRecords(records: Records): number {
  let size = 0;
  for (const name of collections) {
    const stored = records[name];
    size += entryBytes * stored.size + sampled(stored.values(), stored.size, sizeOfValue);
  }
  return size + sampled(records.trails.values(), records.trails.size, sizeOfPoints);
}

function sampled<Item>(items: Iterable<Item>, count: number, sizeOf: (item: Item) => number): number {
  const every = Math.max(1, Math.floor(count / maxVisited));
  let visited = 0;
  let size = 0;
  let index = 0;
  for (const item of items) {
    if (index++ % every !== 0) continue;
    visited += 1;
    size += sizeOf(item);
  }
  return visited === 0 ? 0 : (size * count) / visited;
}

/** Total of all projects of a server, in bytes. */
export interface ByteTotal {
  bytes: number;
}

/** What a deferred command holds until it is applied. */
export interface HeldCommand {
  readonly bytes: number;
  /** Number of records that it may create. */
  readonly records: number;
  /** How many it counts as: itself, or the callbacks that it may become if those are more. */
  readonly pending: number;
}

/** Size of a callback without its body and attempts, in bytes. */
const callbackBytes = 900;

/** Size of an attempt without the text that was sent and the response, in bytes. */
export const attemptBytes = 700;

/** Size of a duration, in bytes: the same for all, because it differs between two runs. */
const durationBytes = 12;

/** Size of a response whose stored body is as long as possible, in bytes. */
export const responseBytes = 5000;

/** Size of a compiled rule with its counts, without the text of its scenario, in bytes. */
const ruleBytes = 1500;

/** Factor for scenarios, which are stored both as a value and compiled. */
export const scenarioFactor = 3;

/** Returns the number of rules in scenarios, and their size in bytes. */
export function sizeOfScenarios(scenarios: readonly { readonly rules: readonly unknown[] }[]): {
  readonly rules: number;
  readonly bytes: number;
} {
  const rules = scenarios.reduce((count, one) => count + one.rules.length, 0);
  return { rules, bytes: scenarioFactor * sizeOfValue(scenarios) + ruleBytes * rules };
}

interface CountedCallback {
  readonly bytes: number;
  readonly attempts: number;
  readonly pending: number;
}

const noCallback: CountedCallback = { bytes: 0, attempts: 0, pending: 0 };

/** Growth that is counted by bodies alone, in bytes, however few records there are. */
const minRecounted = 1024 ** 2;

/** What a project holds. The numbers change only here. */
export class ProjectUsage {
  /** Estimated heap size, in bytes. */
  bytes = 0;
  /** Estimated heap size of the records alone, in bytes. */
  recordBytes = 0;
  /** Number of deferred commands to be applied, or the callbacks that they may become, and of callbacks to be sent. */
  pending = 0;
  /** Number of records that deferred commands may create. */
  pendingRecords = 0;
  /** Number of rules in the project's own scenarios. */
  rules = 0;
  /** The limit of bytes for the latest request that made the project larger; its journal must stay within it too. */
  byteLimit: number | undefined;
  readonly #total: ByteTotal;
  readonly #sizeOfRecords: () => number;
  readonly #heldCommands = new WeakMap<object, HeldCommand>();
  readonly #callbacks = new WeakMap<Callback, CountedCallback>();
  /** Size of the records when they were counted last, in bytes; 0 if it was estimated. */
  #countedBytes = 0;
  #scenarioBytes = 0;
  #advanceBytes = 0;
  #isClosed = false;

  /** `sizeOfRecords` returns the size of the records, in bytes. */
  constructor(total: ByteTotal = { bytes: 0 }, sizeOfRecords: () => number = () => 0) {
    this.#total = total;
    this.#sizeOfRecords = sizeOfRecords;
  }

  /** Counts everything that a project holds when it is opened. `recordBytes` is undefined if not known yet. */
  open(callbacks: Iterable<Callback>, recordBytes: number | undefined): void {
    if (recordBytes === undefined) this.#setRecords(this.#sizeOfRecords());
    else this.restore(recordBytes);
    for (const callback of callbacks) this.callback(callback);
  }

  /**
   * Counts a request whose body is kept in records, in bytes. Records that it replaces stay counted until the records have
   * grown to twice their size, or reach a limit.
   */
  grow(size: number): void {
    this.recordBytes += size;
    this.#add(size);
    if (this.recordBytes > 2 * this.#countedBytes + minRecounted) this.recount();
  }

  /** Counts the records as they are, if their size is an estimate. */
  recount(): void {
    if (this.recordBytes !== this.#countedBytes) this.#setRecords(this.#sizeOfRecords());
  }

  /** Counts records that replace all others, in bytes. */
  restore(size: number): void {
    this.#setRecords(size);
    this.#countedBytes = 0;
  }

  hold(command: object, held: HeldCommand): void {
    this.#heldCommands.set(command, held);
    this.#addHeld(held, 1);
  }

  /** Counts a command no longer. Returns its size in bytes. */
  release(command: object): number {
    const held = this.#heldCommands.get(command);
    if (!held) return 0;
    this.#heldCommands.delete(command);
    this.#addHeld(held, -1);
    return held.bytes;
  }

  /** Counts a callback that is new, or has changed. */
  callback(callback: Callback): void {
    const before = this.#callbacks.get(callback) ?? noCallback;
    const { attempts, state, copiesLeft } = callback;
    let bytes = before === noCallback ? sizeOfCallback(callback) : before.bytes;
    for (const { sent, headers, response } of attempts.slice(before.attempts)) {
      bytes += attemptBytes + sent.length + sizeOfValue(headers) + sizeOfResponse(response);
    }
    const pending = (state === 'scheduled' ? 1 : 0) + copiesLeft;
    this.#callbacks.set(callback, { bytes, attempts: attempts.length, pending });
    this.pending += pending - before.pending;
    this.#add(bytes - before.bytes);
  }

  dropCallback(callback: Callback): void {
    const before = this.#callbacks.get(callback) ?? noCallback;
    this.#callbacks.delete(callback);
    this.pending -= before.pending;
    this.#add(-before.bytes);
  }

  /**
   * Counts the log of advances, which replaces the one before, in bytes. Only the total has it: how much runs in an
   * advance, or just before it, differs between two runs, and the bytes of the project must not.
   */
  advances(size: number): void {
    if (this.#isClosed) return;
    this.#total.bytes += size - this.#advanceBytes;
    this.#advanceBytes = size;
  }

  /** Counts the scenarios that replace the current ones. */
  scenarios(scenarios: readonly { readonly rules: readonly unknown[] }[]): void {
    const { rules, bytes } = sizeOfScenarios(scenarios);
    this.#add(bytes - this.#scenarioBytes);
    this.#scenarioBytes = bytes;
    this.rules = rules;
  }

  /** Removes everything from the total. */
  close(): void {
    this.advances(0);
    this.#add(-this.bytes);
    this.#isClosed = true;
  }

  #setRecords(size: number): void {
    this.#add(size - this.recordBytes);
    this.recordBytes = size;
    this.#countedBytes = size;
  }

  #addHeld({ bytes, records, pending }: HeldCommand, sign: 1 | -1): void {
    this.pending += sign * pending;
    this.pendingRecords += sign * records;
    this.#add(sign * bytes);
  }

  #add(delta: number): void {
    if (this.#isClosed) return;
    this.bytes += delta;
    this.#total.bytes += delta;
  }
}

function sizeOfResponse(response: ReceiverResponse | undefined): number {
  return response ? sizeOfValue(response) - sizeOfValue(response.durationMs) + durationBytes : 0;
}

/** Returns the size of a callback without its attempts, in bytes. */
function sizeOfCallback({ body, serverCounts, trace }: Callback): number {
  const size = callbackBytes + sizeOfValue(body) + (serverCounts ? sizeOfValue(serverCounts) : 0);
  return size + (trace ? sizeOfValue(trace) : 0);
}

/** Counts what one project holds in memory, except for its journal. */
import type { Callback } from '../callbacks/callback.ts';
import type { ReceiverResponse } from '../callbacks/response.ts';
import { sizeOfValue } from './size.ts';

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

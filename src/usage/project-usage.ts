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

export interface ProjectUsage {
  /** Estimated heap size, in bytes. */
  readonly bytes: number;
  /** Number of deferred commands to be applied, or the callbacks that they may become, and of callbacks to be sent. */
  readonly pending: number;
  /** Number of records that deferred commands may create. */
  readonly pendingRecords: number;
  /** Number of rules in the project's own scenarios. */
  readonly rules: number;
  /** The limit of bytes for the latest request that made the project larger; its journal must stay within it too. */
  byteLimit: number | undefined;
  /**
   * Counts a request whose body is kept in records, in bytes. Records that it replaces stay counted until the records have
   * grown to twice their size, or reach a limit.
   */
  grow(bytes: number): void;
  /** Counts the records as they are, if their size is an estimate. */
  recount(): void;
  /** Counts records that replace all others, in bytes. */
  restore(bytes: number): void;
  hold(command: object, held: HeldCommand): void;
  /** Counts a command no longer. Returns its size in bytes. */
  release(command: object): number;
  callback(callback: Callback): void;
  dropCallback(callback: Callback): void;
  /**
   * Counts the log of advances, which replaces the one before, in bytes. Only the total has it: how much runs in an
   * advance, or just before it, differs between two runs, and the bytes of the project must not.
   */
  advances(bytes: number): void;
  /** Counts the scenarios that replace the current ones. */
  scenarios(scenarios: readonly { readonly rules: readonly unknown[] }[]): void;
  /** Counts everything that a project holds when it is opened. `recordBytes` is undefined if not known yet. */
  open(callbacks: Iterable<Callback>, recordBytes: number | undefined): void;
  /** Estimated heap size of the records alone, in bytes. */
  readonly recordBytes: number;
  /** Removes everything from the total. */
  close(): void;
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

type Counts = Record<'bytes' | 'recordBytes' | 'pending' | 'pendingRecords' | 'rules', number>;

const noCallback: CountedCallback = { bytes: 0, attempts: 0, pending: 0 };

/** Growth that is counted by bodies alone, in bytes, however few records there are. */
const minRecounted = 1024 ** 2;

/** Creates the usage of a project. `sizeOfRecords` returns the size of its records, in bytes. */
export function createProjectUsage(
  total: ByteTotal = { bytes: 0 },
  sizeOfRecords: () => number = () => 0,
): ProjectUsage {
  const heldCommands = new WeakMap<object, HeldCommand>();
  const callbacks = new WeakMap<Callback, CountedCallback>();
  const counts: Counts = { bytes: 0, recordBytes: 0, pending: 0, pendingRecords: 0, rules: 0 };
  /** Size of the records when they were counted last, in bytes. */
  let countedBytes = 0;
  let scenarioBytes = 0;
  let advanceBytes = 0;
  let isClosed = false;

  function add(delta: number): void {
    if (isClosed) return;
    counts.bytes += delta;
    total.bytes += delta;
  }

  function setRecords(size: number): void {
    add(size - counts.recordBytes);
    counts.recordBytes = size;
    countedBytes = size;
  }

  /** Takes a size that was estimated, not counted. */
  function estimateRecords(size: number): void {
    setRecords(size);
    countedBytes = 0;
  }

  function recount(): void {
    if (counts.recordBytes !== countedBytes) setRecords(sizeOfRecords());
  }

  function countCallback(callback: Callback): void {
    const before = callbacks.get(callback) ?? noCallback;
    const { attempts, state, copiesLeft } = callback;
    let size = before === noCallback ? sizeOfCallback(callback) : before.bytes;
    for (const { sent, headers, response } of attempts.slice(before.attempts)) {
      size += attemptBytes + sent.length + sizeOfValue(headers) + sizeOfResponse(response);
    }
    const pendingDeliveries = (state === 'scheduled' ? 1 : 0) + copiesLeft;
    callbacks.set(callback, { bytes: size, attempts: attempts.length, pending: pendingDeliveries });
    counts.pending += pendingDeliveries - before.pending;
    add(size - before.bytes);
  }

  const usage: Omit<ProjectUsage, keyof Counts> = {
    byteLimit: undefined,
    grow: (size) => {
      counts.recordBytes += size;
      add(size);
      if (counts.recordBytes > 2 * countedBytes + minRecounted) recount();
    },
    recount,
    restore: estimateRecords,
    hold: (command, held) => {
      heldCommands.set(command, held);
      counts.pending += held.pending;
      counts.pendingRecords += held.records;
      add(held.bytes);
    },
    release: (command) => {
      const held = heldCommands.get(command);
      if (!held) return 0;
      heldCommands.delete(command);
      counts.pending -= held.pending;
      counts.pendingRecords -= held.records;
      add(-held.bytes);
      return held.bytes;
    },
    callback: countCallback,
    dropCallback: (callback) => {
      const before = callbacks.get(callback) ?? noCallback;
      callbacks.delete(callback);
      counts.pending -= before.pending;
      add(-before.bytes);
    },
    advances: (size) => {
      if (isClosed) return;
      total.bytes += size - advanceBytes;
      advanceBytes = size;
    },
    scenarios: (scenarios) => {
      const size = sizeOfScenarios(scenarios);
      add(size.bytes - scenarioBytes);
      scenarioBytes = size.bytes;
      counts.rules = size.rules;
    },
    open: (existing, size) => {
      if (size === undefined) setRecords(sizeOfRecords());
      else estimateRecords(size);
      for (const callback of existing) countCallback(callback);
    },
    close: () => {
      usage.advances(0);
      add(-counts.bytes);
      isClosed = true;
    },
  };
  return Object.assign(counts, usage);
}

function sizeOfResponse(response: ReceiverResponse | undefined): number {
  return response ? sizeOfValue(response) - sizeOfValue(response.durationMs) + durationBytes : 0;
}

/** Returns the size of a callback without its attempts, in bytes. */
function sizeOfCallback({ body, serverCounts, trace }: Callback): number {
  const size = callbackBytes + sizeOfValue(body) + (serverCounts ? sizeOfValue(serverCounts) : 0);
  return size + (trace ? sizeOfValue(trace) : 0);
}

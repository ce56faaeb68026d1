/** All that one project owns, made and disposed as one: records, clock, what is due, callbacks, scenarios' counts. */
import { type Adapter, Low, Memory } from 'lowdb';
import { type ClockState, setClock } from './base/clock.ts';
import { createHash } from './base/random.ts';
import { createStamp } from './base/time.ts';
import { type Callback, createCallback, dropEnded } from './callbacks/callback.ts';
import { createDispatch } from './callbacks/dispatch.ts';
import { createOutbox, type Outbox } from './callbacks/outbox.ts';
import type { Sender } from './callbacks/send.ts';
import { carryOut, type Raised } from './downstream/carry-out.ts';
import type { Instruction } from './downstream/instruction.ts';
import { createSchedule, type RunResult, type Schedule } from './downstream/schedule.ts';
import { toUnread } from './downstream/unread.ts';
import { operations } from './operations/index.ts';
import type { Setting } from './operations/task.ts';
import type { CompiledScenario } from './scenarios/compile.ts';
import type { MergedWrites } from './store/merged-writes.ts';
import { applyWrites, readsOf, type Write } from './store/records.ts';
import {
  type Beginning,
  beginLayer,
  countPending,
  createData,
  isInstructionDue,
  type Pending,
  pendingIds,
  type WorldData,
  type WorldDue,
} from './world-data.ts';
import type { WorldLog } from './world-log.ts';
import { createWaits, type Waits } from './world-waits.ts';

/** Where a world is kept beside the memory, so that it outlives the process. */
export interface Keeping extends MergedWrites, Pick<WorldLog, 'wrote' | 'touched'> {
  readonly adapter: Adapter<WorldData>;
}

/** What another world has left. */
export interface Estate {
  readonly data: WorldData;
  /** Those of the data, compiled. */
  readonly scenarios?: readonly CompiledScenario[];
}

/** What every world of a server is made with. */
export interface WorldSetting extends Beginning {
  readonly seed: string;
  readonly sender: Pick<Sender, 'send'>;
  readonly duplicates: Setting['duplicates'];
  readonly attendantAccess: Setting['attendantAccess'];
  readonly strict: boolean;
  readonly retriesMs: readonly number[];
  readonly concurrency: number;
}

/** Something happened in a world that someone may be waiting for. */
export interface WorldEvents {
  callback(callback: Callback): void;
  /** Something of ours failed outside of any request. */
  bug(error: unknown): void;
  /** An instruction was carried out: the records may be others now. */
  carriedOut?(): void;
  /** What an instruction remarked when it was carried out, long after its response. */
  remark(requestId: string, warnings: readonly string[]): void;
  /** Other scenarios are about to be switched on: what those before have counted is lost then. */
  switching?(): void;
}

/** A world that runs. What waits in it ends when it is disposed of. */
export interface World extends Omit<Waits, 'isOver' | 'end'> {
  readonly id: string;
  readonly data: WorldData;
  readonly schedule: Schedule<WorldDue>;
  readonly outbox: Outbox;
  readonly isDisposed: () => boolean;
  /** The scenarios switched on for this project, nearest first. */
  readonly scenarios: readonly CompiledScenario[];
  /** Switches these on, at an instant in milliseconds, in place of those before; their rules count from nothing. */
  activate(scenarios: readonly CompiledScenario[], atMs: number): void;
  /** Other scenarios for all projects, so named, are in force from this instant, in ms: they count from nothing here. */
  beginServerScenarios(atMs: number, names: string): void;
  /** Milliseconds since 1970 on the project's clock. */
  now(): number;
  /** The same, once all is carried out that was due by then: what happens now comes after it. */
  moment(): number;
  /** The number of what changes the world next. */
  nextChange(): number;
  /** Resolves when all that has changed is kept, and rejects where it can't be; undefined where there is nothing to wait for. */
  kept(): Promise<void> | undefined;
  /** Writes all of it to where it is kept. */
  save(): Promise<void>;
  /** The id of the next request: a hash of its number, so that the same requests have the same ids. */
  nextRequestId(): string;
  /** An instant in milliseconds as a timestamp. */
  stamp(ms: number): string;
  /** What the domain's rules need beside the records. */
  setting(now: number): Setting;
  commit(writes: readonly Write[]): void;
  /** Notes the text of the body that an instruction's entries stand in: it is no part of the world's value. */
  noteSource(instruction: Instruction, source: string): void;
  /** What is still to come, or under way. */
  pending(): Pending;
  /** Cancels all of it, and tells how much it was. */
  cancelPending(): Pending;
  setClock(mode: ClockState['mode'], nowMs: number): void;
  dispose(): void;
}

/** A world with nothing in it, or with what another has left: what is due in it runs as it would have there. */
export function createWorld(
  id: string,
  setting: WorldSetting,
  events: WorldEvents,
  left: Estate = { data: createData(setting) },
  keeping?: Keeping,
): World {
  const { seed, wall } = setting;
  const requestIds = createHash(seed, id, 'request');
  const trackingIds = { jobs: createHash(seed, id, 'jobs'), orders: createHash(seed, id, 'orders') };
  const trackingId: Setting['trackingId'] = (collection, recordId) =>
    `TRK-${trackingIds[collection === 'orders' ? 'orders' : 'jobs'].of(recordId)}`;
  const stamp = createStamp();
  const db = new Low<WorldData>(keeping?.adapter ?? (new Memory<WorldData>() as Adapter<WorldData>), left.data);
  const changed = keeping?.changed ?? (() => undefined);
  let scenarios = left.scenarios ?? [];

  const waits = createWaits(wall);
  const sources = new WeakMap<Instruction, string>();
  const schedule = createSchedule<WorldDue>({
    data: () => db.data,
    wall,
    run,
    isDoneAtOnce: ({ kind }) => kind !== 'attempt',
    bug: events.bug,
    settled: () => outbox.settled(),
  });
  const outbox = createOutbox({
    callbacks: () => db.data.callbacks,
    endpoint: () => db.data.endpoint,
    sender: setting.sender,
    wall,
    retriesMs: setting.retriesMs,
    concurrency: setting.concurrency,
    now: () => schedule.now(),
    plan: (callbackId, dueAt) => schedule.add(dueAt, { kind: 'attempt', callbackId }),
    unplan: (callbackId) => {
      db.data.due = db.data.due.filter(
        ({ what }) => what.kind !== 'attempt' || what.isCopy || what.callbackId !== callbackId,
      );
      schedule.rearm();
    },
    changed: tell,
  });
  const dispatch = createDispatch({ data: () => db.data, add: (dueAt, what) => schedule.add(dueAt, what) });

  schedule.rearm();

  function run(what: WorldDue, now: number): RunResult | Promise<RunResult> {
    changed();
    switch (what.kind) {
      case 'attempt': {
        const sending = what.isCopy ? outbox.copy(what.callbackId) : outbox.attempt(what.callbackId);
        return sending.then((taken) => ({ processed: 0, delivered: taken ? 1 : 0 }));
      }
      case 'release':
        // What is raised at this very instant belongs to the group, so all else that is due goes before.
        if (isInstructionDue(db.data.due, now)) schedule.add(now, what);
        else dispatch.release(what.group, now);
        return { processed: 0, delivered: 0 };
      case 'instruction':
        runInstruction(what.instruction, now);
        return { processed: 1, delivered: 0 };
      default:
        return what satisfies never;
    }
  }

  function runInstruction(instruction: Instruction, now: number): void {
    const { records, ruleCounts: counts } = db.data;
    const done = carryOut(instruction, readsOf(records), toSetting(now), { counts, now, nextChange });
    const { operation, task } = instruction;
    commit(toUnread(done.writes, task.entries, operations[operation], sources.get(instruction)));
    if (done.warnings.length > 0) events.remark(instruction.requestId, done.warnings);
    if (done.raised) raise(done.raised, now);
    events.carriedOut?.();
  }

  function raise({ rule, ...raised }: Raised, now: number): void {
    const { disturbance } = rule ?? {};
    const callback = createCallback({ seed, projectId: id, atMs: now, disturbance, ...raised });
    db.data.callbacks.set(callback.id, callback);
    for (const gone of dropEnded(db.data.callbacks)) keeping?.touched(gone);
    dispatch.take(callback, rule, now);
    tell(callback);
  }

  function tell(callback: Callback): void {
    keeping?.touched(callback.id);
    changed();
    events.callback(callback);
  }

  function nextChange(): number {
    changed();
    db.data.changeCount += 1;
    return db.data.changeCount;
  }

  function commit(writes: readonly Write[]): void {
    applyWrites(db.data.records, writes);
    keeping?.wrote(writes);
  }

  function toSetting(now: number): Setting {
    // Gathered when first asked for: most requests name only what there is.
    let pending: ReturnType<typeof pendingIds> | undefined;
    return {
      now: stamp(now),
      duplicates: setting.duplicates,
      attendantAccess: setting.attendantAccess,
      strict: setting.strict,
      trackingId,
      isPending: (collection, recordId) => {
        pending ??= pendingIds(db.data.due);
        return pending[collection].has(recordId);
      },
    };
  }

  return {
    id,
    get data() {
      return db.data;
    },
    schedule,
    outbox,
    isDisposed: waits.isOver,
    get scenarios() {
      return scenarios;
    },
    activate: (wanted, atMs) => {
      events.switching?.();
      scenarios = wanted;
      db.data.scenarios = wanted.map(({ source }) => source);
      beginLayer(db.data, 'project', atMs);
    },
    beginServerScenarios: (atMs, names) => {
      changed();
      db.data.serverScenarios = names;
      beginLayer(db.data, 'server', atMs);
    },
    now: () => schedule.now(),
    moment: () => schedule.catchUp(),
    nextChange,
    delayed: waits.delayed,
    delay: waits.delay,
    kept: () => keeping?.kept(),
    save: () => db.write(),
    onEnd: waits.onEnd,
    nextRequestId: () => `req_${requestIds.of(String(++db.data.requestCount))}`,
    stamp,
    setting: toSetting,
    commit,
    noteSource: (instruction, source) => void sources.set(instruction, source),
    pending: () => countPending(db.data),
    cancelPending: () => {
      const cancelled = countPending(db.data);
      const { callbacks } = db.data;
      db.data.due = [];
      db.data.groups.clear();
      for (const callback of callbacks.values()) {
        callback.copiesLeft = 0;
        if (callback.state !== 'scheduled') continue;
        callback.state = 'dropped';
        tell(callback);
      }
      schedule.rearm();
      return cancelled;
    },
    setClock: (mode, nowMs) => {
      db.data.clock = setClock(mode, nowMs, wall);
      schedule.rearm();
    },
    dispose: () => {
      schedule.dispose();
      outbox.dispose();
      waits.end();
    },
  };
}

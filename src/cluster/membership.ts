/** Keeps this replica a member: renews its lease, fences replicas that are gone, and joins again when it was fenced. */
import { EventEmitter } from 'node:events';
import type { WallClock } from '../lib/time.ts';
import { toStoreError } from '../project/persistence/store-errors.ts';
import type { ClusterDatabase, LivingReplica, Replica } from './database/cluster-database.ts';
import type { PeerClient } from './transport/peer-client.ts';

interface MembershipEvents {
  /** After each beat of the heart. */
  beat: [];
  /** This replica was fenced, and joins again after that. */
  fenced: [];
  /** These replicas are gone. */
  gone: [readonly Replica[]];
}

export interface Membership {
  /** The id of this replica, a new one after it was fenced. */
  id(): string;
  /** The other replicas, as of the last beat. */
  others(): readonly Replica[];
  /** Whether the lease was renewed in time, as far as this replica can tell without the database. */
  hasLease(): boolean;
  /** Returns the other replicas that live now. One that joins later reads what they share after this call. */
  listOthers(): Promise<readonly Replica[]>;
  /**
   * Resolves if this replica is not fenced at some time after the call. Calls in the meantime share one question.
   * @throws Fenced
   */
  verify(): Promise<void>;
  /** Resolves when this replica, which was fenced, has joined again. */
  rejoined(): Promise<void>;
  /** Fences a replica that refuses connections, if its lease was not renewed lately. Returns whether it is fenced. */
  fenceUnreachable(replica: string): Promise<boolean>;
  readonly events: EventEmitter<MembershipEvents>;
  /** Stops to renew the lease, and leaves. */
  leave(): Promise<void>;
}

/** This replica was fenced: others may own its projects. */
export class Fenced extends Error {}

interface Parts {
  readonly database: ClusterDatabase;
  readonly wall: WallClock;
  /** Base URL of the cluster port of this replica. */
  readonly url: string;
  readonly leaseMs: number;
  readonly settings: string;
  /** Checks the settings of the others. @throws ConfigError if this replica may not join them */
  checkSettings(others: readonly string[]): void;
  readonly client: Pick<PeerClient, 'probe'>;
  /** Reports a beat that failed. */
  warn(text: string): void;
  createId(): string;
}

const beatMs = 500;
/** A replica that refuses connections and has not renewed its lease for this time was killed. */
const silentMs = 1300;
/** How long the beat waits for addresses that may refuse a connection: those of paused replicas do not answer. */
const refusalMs = 500;

const sameAddress =
  'another server has the same address: --cluster-host needs the one by which the others reach this server';

/**
 * Joins the other replicas.
 * @throws ConfigError if they have other settings
 */
export async function join(parts: Parts): Promise<Membership> {
  const { database, wall, url, leaseMs, settings, client, warn, createId } = parts;
  const events = new EventEmitter<MembershipEvents>().setMaxListeners(0);
  let id = createId();
  let living: readonly LivingReplica[] = [];
  let others: readonly Replica[] = [];
  let cancelBeat: (() => void) | undefined;
  let beating: Promise<void> = Promise.resolve();
  let rejoining: Promise<void> | undefined;
  let hasLeft = false;
  let renewedMs = wall.elapsed();
  let warned: string | undefined;
  let sharesAddress = false;

  const enter = async (): Promise<void> => {
    const others = await database.join({ id, url, leaseMs, settings });
    try {
      parts.checkSettings(others);
    } catch (error) {
      await database.leave(id);
      throw error;
    }
  };

  /** Fences what was at this address before, because only this replica listens there now. */
  async function fenceEarlier(): Promise<void> {
    const earlier = (await database.listLiving(leaseMs)).filter((one) => one.url === url && one.id !== id);
    for (const one of earlier) await database.fenceSilent(one.id, 0);
  }

  async function beat(): Promise<void> {
    const startedMs = wall.elapsed();
    const renewed = id;
    const isRenewed = await database.renew(renewed, leaseMs);
    // It may have joined again while it waited for the answer. The new id must not be abandoned: it may own projects.
    if (renewed !== id) await rejoining;
    else if (!isRenewed) await rejoin();
    renewedMs = startedMs;
    warned = undefined;
    await look();
    warnOfAddress();
    await fenceKilled();
    events.emit('beat');
  }

  function warnOfAddress(): void {
    const isShared = living.some((one) => one.url === url && one.id !== id);
    if (isShared && !sharesAddress) warn(sameAddress);
    sharesAddress = isShared;
  }

  // One question at a time, so that no older answer replaces a newer one.
  const look = createSharedQuestion(async () => {
    living = await database.listLiving(leaseMs);
    const present = new Set(living.map((one) => one.id));
    const gone = others.filter((one) => !present.has(one.id));
    others = living.filter((one) => one.url !== url).map((one) => ({ id: one.id, url: one.url }));
    if (gone.length > 0) events.emit('gone', gone);
  });

  async function fenceKilled(): Promise<void> {
    const silent = living.filter((one) => one.id !== id && one.silentMs >= silentMs);
    const found = await Promise.all(silent.map((one) => client.probe(one.url, refusalMs)));
    for (const [index, one] of silent.entries())
      if (found[index] === 'refused') await database.fenceSilent(one.id, silentMs);
  }

  function rejoin(): Promise<void> {
    const again = async (): Promise<void> => {
      events.emit('fenced');
      id = createId();
      await enter();
    };
    rejoining ??= again().finally(() => {
      rejoining = undefined;
    });
    return rejoining;
  }

  function scheduleBeat(): void {
    if (hasLeft) return;
    cancelBeat = wall.after(beatMs, () => {
      beating = beat().catch(warnOnce).then(scheduleBeat);
    });
  }

  /** Reports an error that may come at every beat. The connection reports that the database is away. */
  function warnOnce(error: unknown): void {
    const { message } = error as Error;
    if (message !== warned && !toStoreError(error)) warn(`the lease was not renewed: ${message}`);
    warned = message;
  }

  async function ask(): Promise<void> {
    const asked = id;
    if (await database.isUnfenced(asked)) return;
    if (asked === id && !hasLeft) await rejoin();
    throw new Fenced('this replica was fenced');
  }

  const verify = createSharedQuestion(ask);
  await enter();
  await fenceEarlier();
  await beat();
  scheduleBeat();

  return {
    id: () => id,
    others: () => others,
    hasLease: () => wall.elapsed() - renewedMs < leaseMs,
    listOthers: async () => {
      await look();
      return others;
    },
    verify,
    rejoined: async () => {
      await rejoining;
    },
    fenceUnreachable: (replica) => database.fenceSilent(replica, silentMs),
    events,
    leave: async () => {
      hasLeft = true;
      cancelBeat?.();
      await beating;
      await database.leave(id);
    },
  };
}

/** Creates a function that shares answers: each call gets one to a question that was asked after the call. */
function createSharedQuestion(ask: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  return () => {
    next ??= (async () => {
      await current?.catch(() => undefined);
      // Calls of this turn of the event loop share the question.
      await Promise.resolve();
      current = next;
      next = undefined;
      try {
        await ask();
      } finally {
        current = undefined;
      }
    })();
    return next;
  };
}

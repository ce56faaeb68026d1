/**
 * Runs each request at the replica that owns its project. A request that had no effect there, because the project moved or
 * the replica is gone, is run again.
 */
import type { Placed } from '../http/placement.ts';
import type { Reply } from '../http/reply.ts';
import type { WallClock } from '../lib/time.ts';
import { ProjectLost, StoreUnavailable, toStoreError } from '../project/persistence/store-errors.ts';
import type { ClusterDatabase, Replica } from './database/cluster-database.ts';
import { Fenced, type Membership } from './membership.ts';
import type { Location, Placement } from './placement.ts';
import type { HeldClaim, OwnedStore } from './store/owned-store.ts';
import type { MessageKind, PeerClient } from './transport/peer-client.ts';

/** A request for a project. */
export interface Call {
  readonly kind: MessageKind;
  readonly project: string;
  /** Whether the request creates the project, or waits until it exists. */
  readonly creates: boolean;
  /** Whether the request changes nothing, so that it may run twice. */
  readonly isRead: boolean;
  /** What the owner needs to run it: a value for JSON, and a text. */
  readonly head: object;
  readonly text: string;
  /** Runs the request at this replica. `token` identifies the request. */
  here(token: string | undefined): Promise<Reply> | Reply;
  /** Aborted when the client has left. */
  readonly signal?: AbortSignal;
}

export interface Dispatch {
  /** Runs a request wherever its project is. */
  run(call: Call): Promise<Placed>;
  /**
   * Runs a request that another replica has forwarded.
   * @throws ProjectLost if the project is not here
   */
  runForwarded(call: Call, sent: Sending): Promise<Reply | 'applied'>;
}

/** How a request is forwarded. */
export interface Sending {
  /** Identifies the request; undefined if it has no effect. */
  readonly token?: string | undefined;
  /** Whether an earlier owner may have applied the request, so that the next one must look for its effect. */
  readonly mayBeApplied: boolean;
  /**
   * The claim that the sender found. A request that arrives under another claim is late: the sender may have run it
   * elsewhere since. Undefined if the receiver may claim the project.
   */
  readonly epoch?: number | undefined;
}

interface Parts {
  readonly database: Pick<ClusterDatabase, 'hasToken'>;
  readonly membership: Pick<Membership, 'verify' | 'fenceUnreachable'>;
  readonly placement: Placement;
  readonly store: Pick<OwnedStore, 'claimOf' | 'epochOf' | 'tidy' | 'hasToken'>;
  readonly client: Pick<PeerClient, 'send'>;
  readonly wall: WallClock;
  /** Returns a new identifier of a request. */
  createToken(): string;
}

/**
 * Why a request is run once more. `again`: it had no effect. `moved`: its replica lost the project meanwhile, perhaps after
 * the effect was stored; the next owner knows. `sentTo`: the replica at this URL may still run it, as
 * long as it owns the project.
 */
type Outcome = 'again' | 'moved' | { readonly sentTo: string };

/** What is not known about a request. */
interface Doubt {
  /** Whether an owner of the project may have applied it. */
  readonly mayBeApplied: boolean;
  /** URLs of replicas that may still apply it, also after they joined again. */
  readonly sentTo: readonly string[];
}

/** How long a request looks for a replica that can run it, in milliseconds. */
const patienceMs = 12_000;
const pauseMs = 100;

export function createDispatch(parts: Parts): Dispatch {
  const { database, membership, placement, store, client, wall, createToken } = parts;
  /** Requests that may create a project or wait for it, by project. */
  const underWay = new Map<string, number>();
  const pause = (): Promise<void> => new Promise((resolve) => wall.after(pauseMs, resolve));

  async function run(call: Call): Promise<Placed> {
    const until = wall.elapsed() + patienceMs;
    // A request without an effect needs no token.
    const token = call.isRead ? undefined : createToken();
    let doubt: Doubt = { mayBeApplied: false, sentTo: [] };
    do {
      const result: Placed | Outcome = await tryOnce(call, token, doubt).catch((error: unknown) =>
        toResult(error, call),
      );
      if (typeof result === 'object' && !('sentTo' in result)) return result;
      // After a reset, the owner has often just claimed the project anew: the first search in the database finds the claim.
      const isMovedOnce = result === 'moved' && !doubt.mayBeApplied;
      doubt = addDoubt(doubt, result);
      if (!isMovedOnce) await pause();
      // Nobody reads the answer of a client that has left, whose forwarded request broke for that reason.
    } while (wall.elapsed() < until && !call.signal?.aborted);
    return toUnavailable(doubt.mayBeApplied);
  }

  /** Runs a request at the owner of its project. One that the owner may still run waits until the project has moved. */
  async function tryOnce(call: Call, token: string | undefined, doubt: Doubt): Promise<Placed | Outcome> {
    const location = await placement.locate(call.project, call.creates);
    if (location.at !== 'there') {
      const epoch = store.epochOf(call.project);
      const reply = await runUnlessApplied(call, { token, mayBeApplied: doubt.mayBeApplied, epoch });
      return reply === 'applied' ? applied : { reply };
    }
    const { replica, epoch } = location;
    if (doubt.sentTo.includes(replica.url)) {
      // The owner may just be slow. If it has ended, it is fenced at the next beat.
      placement.mistrust(call.project, replica);
      await placement.want(call.project);
      return 'again';
    }
    return forward(call, { token, mayBeApplied: doubt.mayBeApplied, epoch }, replica);
  }

  async function forward(call: Call, sending: Sending, replica: Replica): Promise<Placed | Outcome> {
    const { kind, project, head, text, signal, isRead } = call;
    const sent = await client.send(replica.url, kind, { ...head, ...sending }, text, signal);
    if (sent.kind === 'reply') return sent;
    if (sent.kind === 'applied') return applied;
    if (sent.kind === 'unavailable') return toUnavailable(!isRead);
    placement.mistrust(project, replica);
    if (sent.kind === 'not-owner') return 'moved';
    if (sent.kind === 'unreachable') await leaveBehind(project, replica);
    return sent.kind === 'unreachable' || isRead ? 'again' : { sentTo: replica.url };
  }

  /** Makes it possible to claim a project whose owner cannot be reached. */
  async function leaveBehind(project: string, replica: Replica): Promise<void> {
    if (!(await membership.fenceUnreachable(replica.id))) await placement.want(project);
  }

  /** Finds the project of a forwarded request. The sender may know better than this replica that an owner gave it up. */
  async function locateAgain({ project, creates }: Call): Promise<Location> {
    const location = await placement.locate(project, creates);
    if (location.at !== 'there') return location;
    placement.mistrust(project, location.replica);
    return placement.locate(project, creates);
  }

  /** Runs a request whose project is here. No earlier owner can store an effect of it any more. */
  async function runUnlessApplied(call: Call, { token, mayBeApplied, epoch }: Sending): Promise<Reply | 'applied'> {
    if (mayBeApplied && token !== undefined && (await database.hasToken(call.project, token))) return 'applied';
    // It may have moved away and back meanwhile.
    checkClaim(call, epoch);
    return runHere(call, token);
  }

  /** @throws ProjectLost if the project is not owned by this claim */
  function checkClaim({ project }: Call, epoch: number | undefined): void {
    if (epoch !== undefined && store.epochOf(project) !== epoch) throw new ProjectLost(project);
  }

  async function runHere(call: Call, token: string | undefined): Promise<Reply> {
    if (call.creates) return holding(call.project, () => answerHere(call, token));
    return answerHere(call, token);
  }

  /** Gives a project up that does not exist after all, once no request needs it here. */
  async function holding<Value>(project: string, run: () => Promise<Value>): Promise<Value> {
    underWay.set(project, (underWay.get(project) ?? 0) + 1);
    try {
      return await run();
    } finally {
      const others = (underWay.get(project) ?? 1) - 1;
      if (others > 0) underWay.set(project, others);
      else {
        underWay.delete(project);
        store.tidy(project);
      }
    }
  }

  async function answerHere(call: Call, token: string | undefined): Promise<Reply> {
    const claim = store.claimOf(call.project);
    // It was given up again since it was located.
    if (call.isRead && call.creates && !claim) throw new ProjectLost(call.project);
    const reply = await call.here(token);
    // A request of the API has stored a change of its own. Another one may have seen what another replica has changed since.
    if (call.kind === 'api' || (await isCurrent(call, claim))) return reply;
    if (token !== undefined && (await database.hasToken(call.project, token))) return reply;
    throw new ProjectLost(call.project);
  }

  /** Returns whether this replica owned the project all the time since it had this claim. */
  async function isCurrent({ project, isRead }: Call, claim: HeldClaim | undefined): Promise<boolean> {
    try {
      await membership.verify();
    } catch (error) {
      if (error instanceof Fenced) return false;
      throw error;
    }
    if (claim) return !claim.isLost;
    return !isRead || store.claimOf(project) === undefined;
  }

  return {
    run,
    runForwarded: async (call, sending) => {
      const { token, mayBeApplied, epoch } = sending;
      // The sender may find a claim before its project has been loaded here.
      if (epoch !== undefined) await placement.arrived(call.project);
      checkClaim(call, epoch);
      const location = await locateAgain(call);
      if (location.at === 'there') throw new ProjectLost(call.project);
      checkClaim(call, epoch);
      // It arrives late: the sender gave it up, and has run it elsewhere since.
      const isLate = token !== undefined && !mayBeApplied && store.hasToken(call.project, token);
      if (isLate) throw new ProjectLost(call.project);
      return runUnlessApplied(call, sending);
    },
  };
}

function addDoubt(doubt: Doubt, outcome: Outcome): Doubt {
  if (outcome === 'again') return doubt;
  const sentTo = outcome === 'moved' ? doubt.sentTo : [...doubt.sentTo, outcome.sentTo];
  return { mayBeApplied: true, sentTo };
}

/** Converts an error of the store to a result. @throws other errors */
function toResult(error: unknown, { isRead }: Call): Placed | 'moved' {
  const known = toStoreError(error);
  if (!known) throw error;
  return known instanceof StoreUnavailable ? toUnavailable(!isRead) : 'moved';
}

const applied: Placed = {
  problem: {
    kind: 'unconfirmed',
    message:
      'the request was applied, but the server that applied it has ended before its response arrived: read what it changed',
  },
};

function toUnavailable(isDoubtful: boolean): Placed {
  const message = isDoubtful
    ? 'the sandbox cannot find out whether the request was applied, because its database or another server does not respond: read what it would change, then send it again'
    : 'the sandbox cannot reach its database, and the request was not applied: send it again';
  return { problem: { kind: 'unavailable', message, headers: { 'retry-after': '1' } } };
}

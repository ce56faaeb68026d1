/**
 * Runs each request at the replica that owns its project. One that had no effect there, because the project moved or the
 * replica is gone, is run again. One that may have been applied before its connection broke is not: the client gets 502.
 */
import type { Placed } from '../http/placement.ts';
import type { Reply } from '../http/reply.ts';
import type { WallClock } from '../lib/time.ts';
import { MayBeApplied, ProjectLost, toStoreError } from '../project/persistence/store-errors.ts';
import type { Replica } from './database/cluster-database.ts';
import { Fenced, type Membership } from './membership.ts';
import type { Placement } from './placement.ts';
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
  /** Runs the request at this replica. @throws ProjectLost if it had no effect */
  here(): Promise<Reply> | Reply;
  /** Aborted when the client has left. */
  readonly signal?: AbortSignal;
}

export interface Dispatch {
  /** Runs a request wherever its project is. */
  run(call: Call): Promise<Placed>;
  /**
   * Runs a request that another replica has forwarded. `epoch`: the claim that the sender found; undefined if this replica
   * may claim the project.
   * @throws ProjectLost if the project is not here, and nothing has happened
   * @throws MayBeApplied if the project was lost meanwhile
   */
  runForwarded(call: Call, epoch: number | undefined): Promise<Reply>;
}

interface Parts {
  readonly membership: Pick<Membership, 'verify' | 'fenceUnreachable'>;
  readonly placement: Placement;
  readonly store: Pick<OwnedStore, 'claimOf' | 'epochOf' | 'tidy'>;
  readonly client: Pick<PeerClient, 'send'>;
  readonly wall: WallClock;
}

/** The request had no effect. `moved`: the project is elsewhere by now. */
type Outcome = 'again' | 'moved';

/** How long a request looks for a replica that can run it, in milliseconds. */
const patienceMs = 12_000;
const pauseMs = 100;

export function createDispatch({ membership, placement, store, client, wall }: Parts): Dispatch {
  /** Requests that may create a project or wait for it, by project. */
  const underWay = new Map<string, number>();
  const pause = (): Promise<void> => new Promise((resolve) => wall.after(pauseMs, resolve));

  async function run(call: Call): Promise<Placed> {
    const until = wall.elapsed() + patienceMs;
    let hasMoved = false;
    do {
      const result: Placed | Outcome = await tryOnce(call).catch((error: unknown) => toResult(error, call));
      if (typeof result === 'object') return result;
      // After a reset, the owner has often just claimed the project anew: the first search in the database finds the claim.
      const isMovedOnce = result === 'moved' && !hasMoved;
      hasMoved ||= result === 'moved';
      if (!isMovedOnce) await pause();
      // Nobody reads the answer of a client that has left.
    } while (wall.elapsed() < until && !call.signal?.aborted);
    return toUnavailable(false);
  }

  async function tryOnce(call: Call): Promise<Placed | Outcome> {
    const location = await placement.locate(call.project, call.creates);
    return location.at === 'there'
      ? forward(call, location.epoch, location.replica)
      : { reply: await runHere(call, store.epochOf(call.project)) };
  }

  async function forward(call: Call, epoch: number | undefined, replica: Replica): Promise<Placed | Outcome> {
    const { kind, project, head, text, signal, isRead } = call;
    const sent = await client.send(replica.url, kind, { ...head, epoch }, text, signal);
    if (sent.kind === 'reply') return sent;
    if (sent.kind === 'unavailable') return toUnavailable(!isRead);
    placement.forget(project);
    if (sent.kind === 'not-owner') return 'moved';
    // A client that has left breaks the connection too, and an owner that says what it knows is there.
    const isThere = sent.kind === 'unconfirmed' || signal?.aborted === true;
    if (!isThere) await leaveBehind(project, replica);
    return sent.kind === 'unreachable' || isRead ? 'again' : unconfirmed;
  }

  /** Makes it possible to claim a project whose owner cannot be reached. */
  async function leaveBehind(project: string, replica: Replica): Promise<void> {
    if (!(await membership.fenceUnreachable(replica.id))) await placement.want(project);
  }

  /** @throws ProjectLost if the project is not owned by this claim: it may have moved away and back meanwhile */
  function checkClaim({ project }: Call, epoch: number | undefined): void {
    if (epoch !== undefined && store.epochOf(project) !== epoch) throw new ProjectLost(project);
  }

  async function runHere(call: Call, epoch: number | undefined): Promise<Reply> {
    checkClaim(call, epoch);
    return call.creates ? holding(call.project, () => answerHere(call)) : answerHere(call);
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

  async function answerHere(call: Call): Promise<Reply> {
    const claim = store.claimOf(call.project);
    // It was given up again since it was located.
    if (call.isRead && call.creates && !claim) throw new ProjectLost(call.project);
    // A request of the API has stored its change, or nothing, or says so. One of the control API may have stored a part.
    if (call.kind === 'api') return call.here();
    const before = claim?.changeCount;
    const hasChanged = (): boolean => !call.isRead && claim !== undefined && claim.changeCount !== before;
    const reply = await Promise.resolve(call.here()).catch((error: unknown) => {
      throw toStoreError(error) instanceof ProjectLost && hasChanged() ? new MayBeApplied(call.project) : error;
    });
    const isStored = hasChanged() && reply.status < 400;
    // What was not stored when the project was lost is never stored.
    if (isStored && claim?.isLost) throw new MayBeApplied(call.project);
    // Without a stored change, it may be of a state that another replica has changed since.
    if (isStored || (await isCurrent(call, claim))) return reply;
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
    runForwarded: async (call, epoch) => {
      const { project, creates } = call;
      // The sender may know better than this replica that an owner gave the project up.
      if (epoch === undefined) placement.forget(project);
      // The sender may find a claim that is not complete here, or whose answer was lost. It finds the one that follows.
      const location = await placement.locate(project, creates && epoch === undefined);
      if (location.at === 'there') throw new ProjectLost(project);
      return runHere(call, epoch);
    },
  };
}

/** Converts an error of the store to a result. @throws other errors */
function toResult(error: unknown, { isRead }: Call): Placed | 'moved' {
  const known = toStoreError(error);
  if (!known) throw error;
  if (known instanceof MayBeApplied && !isRead) return unconfirmed;
  return known instanceof ProjectLost ? 'moved' : toUnavailable(!isRead);
}

const unconfirmed: Placed = {
  problem: {
    kind: 'unconfirmed',
    message:
      'the request may have been applied: the connection to the server that ran it broke before its response arrived. Read what it would change, and send it again if that is missing',
  },
};

function toUnavailable(isDoubtful: boolean): Placed {
  const message = isDoubtful
    ? 'the sandbox cannot find out whether the request was applied, because its database or another server does not respond: read what it would change, then send it again'
    : 'the sandbox cannot reach its database, and the request was not applied: send it again';
  return { problem: { kind: 'unavailable', message, headers: { 'retry-after': '1' } } };
}

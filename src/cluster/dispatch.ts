/**
 * Runs each request at the replica that owns its project. One that had no effect there, because the project moved or the
 * replica is gone, is run again. One that may have been applied before its connection broke is not: the client gets 502.
 */
import type { Placed } from '../http/handler-deps.ts';
import type { Reply } from '../http/reply.ts';
import { pause, type WallClock } from '../lib/time.ts';
import { MayBeApplied, ProjectLost, toStoreError } from '../project/persistence/store-errors.ts';
import type { Claims, Elsewhere } from './claims.ts';
import type { Replica } from './database/cluster-database.ts';
import { patienceMs, pauseMs } from './database/patience.ts';
import { Fenced, type Membership } from './membership.ts';
import type { HeldClaim } from './store/owned-project.ts';
import type { OwnedStore } from './store/owned-store.ts';
import type { PeerClient } from './transport/peer-client.ts';

/** What a replica sends to the owner of a project: a value for JSON. */
export interface CallHead {
  /** Whether it is a request of the API or of the control API. */
  readonly about: 'api' | 'control';
  readonly project: string;
  /** Whether the request changes nothing, so that it may run twice. */
  readonly isRead: boolean;
}

/** A request for a project. */
export interface Call {
  readonly head: CallHead;
  /** What the owner needs in addition to run it. */
  readonly text?: string;
  /** Runs the request at this replica. @throws ProjectLost if it had no effect */
  here(): Promise<Reply> | Reply;
  /** Aborted when the client has left. */
  readonly signal?: AbortSignal;
}

interface Deps {
  readonly membership: Pick<Membership, 'verify' | 'fenceUnreachable'>;
  readonly claims: Pick<Claims, 'locate' | 'forget' | 'want'>;
  readonly store: Pick<OwnedStore, 'claimOf' | 'release'>;
  readonly client: Pick<PeerClient, 'send'>;
  readonly wall: WallClock;
}

export class Dispatch {
  readonly #deps: Deps;
  /** Number of requests that run here, by project. */
  readonly #underWay = new Map<string, number>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Runs a request wherever its project is. */
  async run(call: Call): Promise<Placed> {
    const { wall } = this.#deps;
    const until = wall.elapsed() + patienceMs;
    let isFirst = true;
    do {
      const placed = await this.#tryOnce(call).catch((error: unknown) => toResult(error, call));
      if (placed) return placed;
      // After a reset, the owner has often just claimed the project anew: the first search in the database finds the claim.
      if (!isFirst) await pause(wall, pauseMs);
      isFirst = false;
      // Nobody reads the answer of a client that has left.
    } while (wall.elapsed() < until && !call.signal?.aborted);
    return toUnapplied(false);
  }

  /**
   * Runs a request that another replica has forwarded. `epoch`: the claim that the sender found; undefined if this replica
   * may claim the project.
   * @throws ProjectLost if the project is not here, and nothing has happened
   * @throws MayBeApplied if the project was lost meanwhile
   */
  async runForwarded(call: Call, epoch: number | undefined): Promise<Reply> {
    const { claims } = this.#deps;
    const { project } = call.head;
    // The sender may know better than this replica that an owner gave the project up.
    claims.forget(project);
    if (await claims.locate(project)) throw new ProjectLost(project);
    return this.#runHere(call, epoch);
  }

  /** Returns undefined if the request had no effect. */
  async #tryOnce(call: Call): Promise<Placed | undefined> {
    const elsewhere = await this.#deps.claims.locate(call.head.project);
    return elsewhere ? this.#forward(call, elsewhere) : { reply: await this.#runHere(call, undefined) };
  }

  async #forward(call: Call, { replica, epoch }: Elsewhere): Promise<Placed | undefined> {
    const { head, text = '', signal } = call;
    const sent = await this.#deps.client.send(replica.url, { ...head, epoch }, text, signal);
    if (sent.kind === 'reply') return sent;
    if (sent.kind === 'unavailable') return toUnapplied(!head.isRead);
    this.#deps.claims.forget(head.project);
    if (sent.kind === 'not-owner') return undefined;
    // A client that has left breaks the connection too, and an owner that says what it knows is there.
    const isThere = sent.kind === 'unconfirmed' || signal?.aborted === true;
    if (!isThere) await this.#leaveBehind(head.project, replica);
    return sent.kind === 'unreachable' || head.isRead ? undefined : unconfirmed;
  }

  /** Makes it possible to claim a project whose owner cannot be reached. */
  async #leaveBehind(project: string, replica: Replica): Promise<void> {
    const { membership, claims } = this.#deps;
    if (!(await membership.fenceUnreachable(replica.id))) await claims.want(project);
  }

  /** Gives the project up if it does not exist after all, once no request needs it here. */
  async #runHere(call: Call, epoch: number | undefined): Promise<Reply> {
    const { project } = call.head;
    this.#underWay.set(project, (this.#underWay.get(project) ?? 0) + 1);
    try {
      return await this.#answerHere(call, epoch);
    } finally {
      const others = (this.#underWay.get(project) ?? 1) - 1;
      if (others > 0) this.#underWay.set(project, others);
      else {
        this.#underWay.delete(project);
        this.#deps.store.release(project);
      }
    }
  }

  /** @throws ProjectLost if the project is not owned by this claim: it may have moved away and back meanwhile */
  async #answerHere({ head: { about, project, isRead }, here }: Call, epoch: number | undefined): Promise<Reply> {
    const claim = this.#deps.store.claimOf(project);
    if (!claim || (epoch !== undefined && claim.epoch !== epoch)) throw new ProjectLost(project);
    // A request of the API has stored its change, or nothing, or says so. One of the control API may have stored a part.
    if (about === 'api') return here();
    const before = claim.changeCount;
    const hasChanged = (): boolean => !isRead && claim.changeCount !== before;
    const reply = await Promise.resolve(here()).catch((error: unknown) => {
      throw toStoreError(error) instanceof ProjectLost && hasChanged() ? new MayBeApplied(project) : error;
    });
    const isStored = hasChanged() && reply.status < 400;
    // What was not stored when the project was lost is never stored.
    if (isStored && claim.isTaken) throw new MayBeApplied(project);
    // Without a stored change, it may be of a state that another replica has changed since.
    if (isStored || (await this.#isCurrent(claim))) return reply;
    throw new ProjectLost(project);
  }

  /** Returns whether this replica owned the project all the time since it had this claim. */
  async #isCurrent(claim: HeldClaim): Promise<boolean> {
    try {
      await this.#deps.membership.verify();
    } catch (error) {
      if (error instanceof Fenced) return false;
      throw error;
    }
    return !claim.isLost;
  }
}

/** Converts an error of the store to a result; undefined if the request had no effect. @throws other errors */
function toResult(error: unknown, { head: { isRead } }: Call): Placed | undefined {
  const known = toStoreError(error);
  if (!known) throw error;
  if (known instanceof MayBeApplied && !isRead) return unconfirmed;
  return known instanceof ProjectLost ? undefined : toUnapplied(!isRead);
}

const unconfirmed: Placed = {
  problem: {
    kind: 'unconfirmed',
    message:
      'the request may have been applied: the connection to the server that ran it broke before its response arrived. Read what it would change, and send it again if that is missing',
  },
};

function toUnapplied(isDoubtful: boolean): Placed {
  const message = isDoubtful
    ? 'the sandbox cannot find out whether the request was applied, because its database or another server does not respond: read what it would change, then send it again'
    : 'the sandbox cannot reach its database, and the request was not applied: send it again';
  return toUnavailable(message);
}

export function toUnavailable(message: string): Placed {
  return { problem: { kind: 'unavailable', message, headers: { 'retry-after': '1' } } };
}

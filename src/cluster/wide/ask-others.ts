/** Asks all other living replicas the same, and waits until each has answered or is gone. */
import type { ControlId, ControlRequest } from '../../control-api/handler.ts';
import type { Reply } from '../../http/reply.ts';
import { pause, type WallClock } from '../../lib/time.ts';
import { StoreUnavailable } from '../../project/persistence/store-errors.ts';
import type { Replica } from '../database/cluster-database.ts';
import { patienceMs, pauseMs } from '../database/patience.ts';
import type { CallHead } from '../dispatch.ts';
import type { Membership } from '../membership.ts';
import type { PeerClient } from '../transport/peer-client.ts';

/** A request as it is sent to another replica, which identifies the caller again. */
export type ForwardedRequest = Omit<ControlRequest, 'onLeave' | 'caller'>;

export function toForwarded({ onLeave: _onLeave, caller: _caller, ...request }: ControlRequest): ForwardedRequest {
  return request;
}

/** A request of the control API for one project, as it is sent to the owner. */
export interface ControlHead extends CallHead {
  readonly about: 'control';
  readonly id: ControlId;
  readonly request: ForwardedRequest;
}

export type Question =
  /** A new reading of a shared value, which has changed. */
  | { readonly about: 'refresh'; readonly key: string }
  /** The response to the same request with what that replica has. */
  | { readonly about: 'same'; readonly id: ControlId; readonly request: ForwardedRequest }
  /** Its part of a page of requests, after a number if the asking replica knows that of the query's `since`. */
  | { readonly about: 'requests'; readonly request: ForwardedRequest; readonly after: number | undefined }
  /** Its stray requests that name a project, or their removal, because the project was reset. */
  | { readonly about: 'strays'; readonly project: string; readonly isReset: boolean }
  /** A stream of its events, of one project or of all: from now on, or from after its part of an id. */
  | { readonly about: 'events'; readonly project: string | undefined; readonly after: string | undefined }
  /** The reset of all its projects. */
  | { readonly about: 'reset' }
  /** Nothing but to send no more requests to the replica that asks: it has handed over all, and ends. */
  | { readonly about: 'end'; readonly replica: string };

/** A replica has refused the caller, whose key was deleted. */
export class Refused extends Error {
  readonly reply: Reply;

  constructor(reply: Reply) {
    super(`another server responded with ${reply.status}`);
    this.reply = reply;
  }
}

/**
 * Asks all others. Returns the replies, in the order of the replicas' ids.
 * @throws StoreUnavailable if one neither answers nor ends
 * @throws Refused
 */
export type AskOthers = (question: Question) => Promise<readonly Reply[]>;

interface Parts {
  readonly membership: Pick<Membership, 'others' | 'listOthers' | 'fenceUnreachable'>;
  readonly client: Pick<PeerClient, 'send'>;
  readonly wall: WallClock;
  warn(text: string): void;
}

const unknown = 'another server that shares the database does not answer: send the request again';

export function createAskOthers({ membership, client, wall, warn }: Parts): AskOthers {
  /** Addresses that are reported already. */
  const reported = new Set<string>();
  const isLiving = ({ id }: Replica): boolean => membership.others().some((one) => one.id === id);

  function giveUp({ url }: Replica): Error {
    if (!reported.has(url))
      warn(`${url} does not answer: check the network, and --cluster-host of the server with this address`);
    reported.add(url);
    return new StoreUnavailable(unknown);
  }

  /** Asks one of them. Returns undefined if it is gone. */
  async function one(replica: Replica, question: Question): Promise<Reply | undefined> {
    const until = wall.elapsed() + patienceMs;
    while (isLiving(replica)) {
      const sent = await client.send(replica.url, question, '');
      if (sent.kind === 'reply') return sent.reply;
      if (sent.kind === 'unreachable' && (await membership.fenceUnreachable(replica.id))) return undefined;
      if (wall.elapsed() >= until) throw giveUp(replica);
      await pause(wall, pauseMs);
    }
    return undefined;
  }

  return async (question) => {
    const replies = new Map<string, Reply | undefined>();
    const unasked = async (): Promise<readonly Replica[]> =>
      (await membership.listOthers()).filter(({ id }) => !replies.has(id));
    // A replica may join meanwhile, such as one that was fenced.
    for (let asked = await unasked(); asked.length > 0; asked = await unasked()) {
      const answers = await Promise.all(asked.map((replica) => one(replica, question)));
      for (const [index, { id }] of asked.entries()) replies.set(id, answers[index]);
    }
    const ids = [...replies.keys()].sort();
    const given = ids.flatMap((id) => replies.get(id) ?? []);
    const refusal = given.find(({ status }) => status === 401 || status === 403);
    if (refusal) throw new Refused(refusal);
    return given;
  };
}

/** Reads the JSON bodies of replies. Those of servers of another version, which do not know the question, are missing. */
export function readAll<Value>(replies: readonly Reply[]): readonly Value[] {
  return replies.filter(({ status }) => status === 200).map((reply) => readBody<Value>(reply));
}

/** Reads the JSON body of a reply. */
export function readBody<Value>({ body = 'null' }: Reply): Value {
  return JSON.parse(body) as Value;
}

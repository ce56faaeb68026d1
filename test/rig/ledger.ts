/** What clients were answered: which records must be there, which must not, and how many requests ended how. */

/** `unknown`: the answer was lost, so that the record may be there or not. */
export type Fate = 'stored' | 'absent' | 'unknown';

/** When a record is created; one that fails is not there then, and a callback reports it. */
export type Kind = 'at once' | 'later' | 'failing';

/** How a request ended. */
interface End {
  readonly fate: Fate;
  readonly sentMs: number;
  readonly endedMs: number;
  /** In words, for messages. */
  readonly how: string;
}

/** A record that a request was to create. */
interface Created {
  readonly project: string;
  readonly id: string;
  readonly kind: Kind;
}

export type Creation = Created & End;

/** How requests ended. */
export interface Counts {
  /** 200, 202. */
  answered: number;
  /** 502: the request may have been applied, but its response is lost. */
  unconfirmed: number;
  /** 503: the request was not applied. */
  notApplied: number;
  /** 503: it is not known whether the request was applied. */
  doubtful: number;
  /** 503 of the load balancer, which had no replica. */
  noReplica: number;
  /** No answer: the connection broke, or the client gave up. */
  lost: number;
}

export interface Ledger {
  readonly creations: readonly Creation[];
  readonly counts: Counts;
  /** How requests ended of which it is not known whether they were applied. */
  readonly losses: readonly string[];
  /** What must not happen. */
  readonly violations: readonly string[];
  create(created: Created, end: End): void;
  lose(how: string): void;
  violate(text: string): void;
  /** Notes the id of a request. Each may come once. */
  noteRequestId(id: string | null): void;
}

/** More of them say nothing new. */
const maxViolations = 20;

export function createLedger(): Ledger {
  const creations: Creation[] = [];
  const violations: string[] = [];
  const losses: string[] = [];
  const requestIds = new Set<string>();
  const violate = (text: string): void => {
    if (violations.length < maxViolations) violations.push(`${Math.round(performance.now())} ${text}`);
  };
  return {
    ...{ creations, losses, violations, violate },
    lose: (how) => void losses.push(how),
    counts: { answered: 0, unconfirmed: 0, notApplied: 0, doubtful: 0, noReplica: 0, lost: 0 },
    create: (created, { fate, sentMs, endedMs, how }) =>
      void creations.push({ ...created, fate, sentMs, endedMs, how }),
    noteRequestId: (id) => {
      if (id === null || requestIds.has(id)) violate(`request id ${id} came twice`);
      else requestIds.add(id);
    },
  };
}

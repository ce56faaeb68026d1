/** Every kind of failure that a rule can produce: what it is, the `then` that does it, and which rules do it too. */
import { toUsualMessage } from '../base/problem.ts';
import {
  bodyFaults,
  type ConnectionFault,
  callbackOrders,
  connectionFaults,
  signatureFaults,
  type Then,
} from './types.ts';

/** One kind of failure. */
export interface FailureKind {
  readonly kind: string;
  /** What the client meets, in words. */
  readonly about: string;
  /** The `then` of a rule, as YAML in one line. */
  readonly effect: string;
  /** Whether a rule acts on one entry of a request, not on the request. */
  readonly ofEntries: boolean;
  /** Whether a rule that does this produces the kind, or a client that met this has met it. */
  does(effect: Met): boolean;
}

/** What a client met, in the words of a rule's `then`; of some it only matters that it was there. */
export interface Met extends Pick<Then, 'connection' | 'processed' | 'callback'> {
  readonly respond?: { readonly status: number };
  readonly refuse?: unknown;
  readonly fail?: unknown;
  readonly latency?: unknown;
  readonly limit?: unknown;
}

/** What the kinds of one operation depend on. */
export interface Tells {
  /** Whether failures are told by callback, or in the response. */
  readonly byCallback: boolean;
  /** Whether the result has a list of failures. */
  readonly listsFailures: boolean;
  /** Statuses of errors that the operation's document has. */
  readonly statuses: readonly number[];
}

/** Answers of whatever stands between a client and the API: no operation declares them, and every client meets them. */
const statusesOnTheWay = [502, 503, 504];

const refusal = 'The service area of this address is closed';
const failure = 'Address could not be geocoded';

const onTheWire: Readonly<Record<ConnectionFault, string>> = {
  reset: 'the connection is reset, with no answer',
  close: 'the connection is closed, with no answer',
  hang: 'no answer comes, and the connection stays open',
  truncate: 'the answer breaks off after half of its body',
  drip: 'the answer comes a byte at a time',
};

const ofSignature: Readonly<Record<(typeof signatureFaults)[number], string>> = {
  invalid: 'the callback is signed with another secret',
  missing: 'the callback is not signed',
  stale: 'the callback was signed an hour ago',
};

/** Whether a kind is one of a disturbed callback. */
export function isOfCallbacks({ kind }: Pick<FailureKind, 'kind'>): boolean {
  return kind.startsWith('callback-');
}

/** The kinds that an operation can meet, the usual ones first. */
export function failureKinds(tells: Tells): readonly FailureKind[] {
  return [
    refused(tells),
    failed(tells),
    ...statusKinds(tells),
    latency,
    limit,
    ...connectionKinds,
    ...(tells.byCallback ? callbackKinds : []),
  ];
}

function refused({ listsFailures }: Tells): FailureKind {
  return {
    kind: 'refused',
    about: listsFailures ? 'an entry is refused, and listed in the response' : 'the request is refused as invalid',
    effect: `{ refuse: ${refusal} }`,
    ofEntries: true,
    does: ({ refuse }) => refuse !== undefined,
  };
}

function failed({ byCallback, listsFailures }: Tells): FailureKind {
  const told = byCallback
    ? 'an entry is accepted, fails downstream, and is told of by callback'
    : listsFailures
      ? 'an entry fails downstream, and is listed in the response'
      : 'the request fails downstream, and the response says so';
  return {
    kind: 'failed-downstream',
    about: told,
    effect: `{ fail: ${failure} }`,
    ofEntries: true,
    does: ({ fail }) => fail !== undefined,
  };
}

function statusKinds({ statuses }: Tells): readonly FailureKind[] {
  const all = [...new Set([...statuses, ...statusesOnTheWay])].sort((a, b) => a - b);
  const kinds = all.map((status): FailureKind => {
    const headers = status === 503 ? ', headers: { retry-after: "30" }' : '';
    return {
      kind: `status-${status}`,
      about: `${toUsualMessage(status)}: ${status}, and nothing takes effect`,
      effect: `{ respond: { status: ${status}${headers} } }`,
      ofEntries: false,
      does: ({ respond, connection, processed = false }) =>
        respond?.status === status && connection === undefined && !processed,
    };
  });
  return [...kinds, unclear];
}

const unclear: FailureKind = {
  kind: 'status-504-processed',
  about: 'a proxy gives up waiting: 504, and everything takes effect',
  effect: '{ respond: { status: 504 }, processed: true }',
  ofEntries: false,
  does: ({ respond, processed }) => respond?.status === 504 && processed === true,
};

const latency: FailureKind = {
  kind: 'latency',
  about: 'the answer takes a second longer',
  effect: '{ latency: 1s }',
  ofEntries: false,
  does: ({ latency: wait, respond, callback }) => wait !== undefined && !respond && !callback,
};

const limit: FailureKind = {
  kind: 'limit',
  about: "more than one request in ten seconds of the project's clock: 429 with `retry-after`",
  effect: '{ limit: { requests: 1, per: 10s } }',
  ofEntries: false,
  does: (effect) => effect.limit !== undefined,
};

const connectionKinds: readonly FailureKind[] = connectionFaults.flatMap((fault) =>
  [false, true].map((wanted) => ({
    kind: `connection-${fault}${wanted ? '-processed' : ''}`,
    about: `${onTheWire[fault]}; ${wanted ? 'everything' : 'nothing'} takes effect`,
    effect: `{ connection: ${fault}${wanted ? ', processed: true' : ''} }`,
    ofEntries: false,
    does: ({ connection, processed = false }) => connection === fault && processed === wanted,
  })),
);

/** The kinds that a callback can be disturbed by, after an entry has failed. */
export const callbackKinds: readonly FailureKind[] = [
  callbackKind(
    'delay',
    'delay: 1m',
    'the callback comes a minute late',
    ({ delay, order }) => delay !== undefined && !order,
  ),
  callbackKind(
    'copies',
    'copies: 3',
    'the callback comes three times',
    ({ copies, order }) => copies !== undefined && !order,
  ),
  ...callbackOrders.map((wanted) =>
    callbackKind(
      `order-${wanted}`,
      `order: ${wanted}, delay: 5s`,
      `the callbacks of five seconds come ${wanted === 'reverse' ? 'in reverse' : 'in no order'}`,
      ({ order }) => order === wanted,
    ),
  ),
  callbackKind('drop', 'drop: true', 'the callback is never sent', ({ drop }) => drop === true),
  ...signatureFaults.map((wanted) =>
    callbackKind(
      `signature-${wanted}`,
      `signature: ${wanted}`,
      ofSignature[wanted],
      ({ signature }) => signature === wanted,
    ),
  ),
  ...bodyFaults.map((wanted) =>
    callbackKind(
      `body-${wanted}`,
      `body: ${wanted}`,
      'the callback is cut in the middle',
      ({ body }) => body === wanted,
    ),
  ),
];

/** A disturbed callback: so that there is one, an entry fails. */
function callbackKind(
  name: string,
  disturbance: string,
  about: string,
  does: (disturbed: NonNullable<Met['callback']>) => boolean,
): FailureKind {
  return {
    kind: `callback-${name}`,
    about: `an entry fails downstream, and ${about}`,
    effect: `{ fail: ${failure}, callback: { ${disturbance} } }`,
    ofEntries: true,
    does: ({ callback }) => callback !== undefined && does(callback),
  };
}

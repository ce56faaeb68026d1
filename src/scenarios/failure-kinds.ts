/** Defines every kind of failure that a rule can produce: its description, a `then` that produces it, and a test. */
import { toDefaultMessage } from '../lib/problem.ts';
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
  /** Describes what the client observes. */
  readonly about: string;
  /** The `then` of a rule, as YAML in one line. */
  readonly effect: string;
  /** Whether a rule fires on one entry of a request, not on the whole request. */
  readonly ofEntries: boolean;
  /** Whether a rule with this effect produces the kind, or an observed failure is of this kind. */
  does(effect: ObservedFailure): boolean;
}

/** A failure that a client observed, with the keys of `then`. For keys of type `unknown`, only the presence counts. */
export interface ObservedFailure extends Pick<Then, 'connection' | 'processed' | 'callback'> {
  readonly respond?: { readonly status: number };
  readonly refuse?: unknown;
  readonly fail?: unknown;
  readonly latency?: unknown;
  readonly limit?: unknown;
}

/** The traits of an operation that determine its kinds of failure. */
export interface OperationTraits {
  /** Whether failures are reported by callback, or in the response. */
  readonly byCallback: boolean;
  /** Whether the result has a list of failures. */
  readonly listsFailures: boolean;
  /** Error statuses that the API document declares for the operation. */
  readonly statuses: readonly number[];
}

/** Statuses of proxies between client and API: no operation declares them, but every client receives them. */
const proxyStatuses = [502, 503, 504];

const refusalReason = 'The service area of this address is closed';
const failureReason = 'Address could not be geocoded';

const connectionDescriptions: Readonly<Record<ConnectionFault, string>> = {
  reset: 'the connection is reset, with no answer',
  close: 'the connection is closed, with no answer',
  hang: 'no answer comes, and the connection stays open',
  truncate: 'the answer breaks off after half of its body',
  drip: 'the answer comes a byte at a time',
};

const signatureDescriptions: Readonly<Record<(typeof signatureFaults)[number], string>> = {
  invalid: 'the callback is signed with another secret',
  missing: 'the callback is not signed',
  stale: 'the callback was signed an hour ago',
};

/** Whether a kind concerns a disturbed callback. */
export function isCallbackKind({ kind }: Pick<FailureKind, 'kind'>): boolean {
  return kind.startsWith('callback-');
}

/** Returns the kinds of failure of an operation, the common ones first. */
export function failureKinds(traits: OperationTraits): readonly FailureKind[] {
  return [
    refusedKind(traits),
    failedKind(traits),
    ...statusKinds(traits),
    latency,
    limit,
    ...connectionKinds,
    ...(traits.byCallback ? callbackKinds : []),
  ];
}

function refusedKind({ listsFailures }: OperationTraits): FailureKind {
  return {
    kind: 'refused',
    about: listsFailures ? 'an entry is refused, and listed in the response' : 'the request is refused as invalid',
    effect: `{ refuse: ${refusalReason} }`,
    ofEntries: true,
    does: ({ refuse }) => refuse !== undefined,
  };
}

function failedKind({ byCallback, listsFailures }: OperationTraits): FailureKind {
  const about = byCallback
    ? 'an entry is accepted, fails downstream, and is reported by callback'
    : listsFailures
      ? 'an entry fails downstream, and is listed in the response'
      : 'the request fails downstream, and the response says so';
  return {
    kind: 'failed-downstream',
    about,
    effect: `{ fail: ${failureReason} }`,
    ofEntries: true,
    does: ({ fail }) => fail !== undefined,
  };
}

function statusKinds({ statuses }: OperationTraits): readonly FailureKind[] {
  const all = [...new Set([...statuses, ...proxyStatuses])].sort((a, b) => a - b);
  const kinds = all.map((status): FailureKind => {
    const headers = status === 503 ? ', headers: { retry-after: "30" }' : '';
    return {
      kind: `status-${status}`,
      about: `${toDefaultMessage(status)}: ${status}, and nothing takes effect`,
      effect: `{ respond: { status: ${status}${headers} } }`,
      ofEntries: false,
      does: ({ respond, connection, processed = false }) =>
        respond?.status === status && connection === undefined && !processed,
    };
  });
  return [...kinds, processedTimeoutKind];
}

const processedTimeoutKind: FailureKind = {
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
    about: `${connectionDescriptions[fault]}; ${wanted ? 'everything' : 'nothing'} takes effect`,
    effect: `{ connection: ${fault}${wanted ? ', processed: true' : ''} }`,
    ofEntries: false,
    does: ({ connection, processed = false }) => connection === fault && processed === wanted,
  })),
);

/** Kinds of callback disturbance, after an entry has failed. */
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
      signatureDescriptions[wanted],
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

/** Creates a kind of callback disturbance. An entry fails as well, so that there is a callback. */
function callbackKind(
  name: string,
  disturbance: string,
  about: string,
  does: (disturbed: NonNullable<ObservedFailure['callback']>) => boolean,
): FailureKind {
  return {
    kind: `callback-${name}`,
    about: `an entry fails downstream, and ${about}`,
    effect: `{ fail: ${failureReason}, callback: { ${disturbance} } }`,
    ofEntries: true,
    does: ({ callback }) => callback !== undefined && does(callback),
  };
}

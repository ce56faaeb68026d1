/** What happens to a project on purpose: its scenario, and the same once more as what is to be expected of it. */
import type { OperationId } from '../../src/operations/index.ts';
import type { ConnectionFault } from '../../src/scenarios/types.ts';
import type { Fault } from '../model/rules.ts';

/** A rule about whole requests, in numbers that can be counted along. */
interface RequestRule {
  readonly operations: readonly OperationId[];
  readonly every?: number;
  readonly times?: number;
  readonly respond?: { readonly status: number; readonly headers?: Readonly<Record<string, string>> };
  readonly connection?: ConnectionFault;
  readonly processed?: true;
}

/** What the rules do to one request. */
export interface RequestTurn {
  readonly status?: number;
  readonly connection?: ConnectionFault;
  /** Whether it takes effect. */
  readonly processed: boolean;
}

/** What they do to one entry. */
export type EntryTurn = Fault | undefined;

/** The counts of one life of a project. */
export interface Turns {
  /** To be asked once for each request that the contract lets through, in the order of effects. */
  request(operation: OperationId): RequestTurn;
  entry(operation: OperationId, item: number): EntryTurn;
  /** Whether the next callback is lost; to be asked in the order in which they are raised. */
  loses(): boolean;
}

export interface Story {
  readonly name: string;
  /** As `PUT …/scenarios` takes it. */
  readonly scenario?: object;
  /** Whether its requests must come one after another, since what is done to one depends on those before. */
  readonly isCounted: boolean;
  /** Whether its callbacks go to the receiver, and not into the inbox. */
  readonly hasEndpoint: boolean;
  /** Whether the receiver refuses some at first. */
  readonly isRefusing: boolean;
  /** How often each callback is sent. */
  readonly copies: number;
  /** How far callbacks may be out of order. */
  readonly gatheredMs: number;
  begin(): Turns;
}

const quiet: Turns = { request: () => ({ processed: true }), entry: () => undefined, loses: () => false };
const usual = {
  isCounted: false,
  hasEndpoint: true,
  isRefusing: false,
  copies: 1,
  gatheredMs: 0,
  begin: (): Turns => quiet,
} as const;

/** How many callbacks are lost in each life of a project that loses them. */
const lost = 2;

const requestRules: readonly RequestRule[] = [
  { operations: ['submitLocation', 'submitLocations'], every: 2, respond: { status: 500 } },
  { operations: ['registerUser'], times: 2, respond: { status: 429 } },
  {
    operations: ['syncCreateJob', 'syncCreateJobInSubproject'],
    every: 2,
    respond: { status: 503, headers: { 'retry-after': '1' } },
  },
  { operations: ['asyncImportJobs', 'asyncImportOrders'], every: 2, respond: { status: 504 }, processed: true },
  { operations: ['syncImportOrders', 'syncCreateJobs'], every: 2, connection: 'truncate', processed: true },
  { operations: ['asyncImportRoutes', 'asyncUpdateJobs', 'asyncUpdateOrder'], every: 2, connection: 'hang' },
  { operations: ['syncImportOrdersInSubproject', 'syncCreateRoutes'], every: 2, connection: 'close' },
  { operations: ['asyncImportJobsInSubproject', 'asyncUpdateJob'], every: 2, connection: 'reset' },
];

const importsOfJobs: readonly OperationId[] = ['asyncImportJobs', 'asyncImportJobsInSubproject', 'syncCreateJobs'];

/** Every story; projects have them in turn. */
export const stories: readonly Story[] = [
  { ...usual, name: 'plain' },
  {
    ...usual,
    name: 'codes',
    isCounted: true,
    scenario: { name: 'soak-codes', rules: requestRules.map(toRule) },
    begin: countRequests,
  },
  {
    ...usual,
    name: 'entries',
    scenario: {
      name: 'soak-entries',
      rules: [
        { when: { operation: importsOfJobs, item: 3 }, then: { fail: 'The third', after: '1s' } },
        { when: { operation: importsOfJobs, item: { every: 10 } }, then: { refuse: 'One in ten' } },
      ],
    },
    begin: () => ({ ...quiet, entry: entryOf }),
  },
  { ...usual, name: 'late', scenario: disturbing('late', { delay: '2s' }) },
  {
    ...usual,
    name: 'losing',
    isCounted: true,
    scenario: { name: 'soak-losing', rules: [{ times: lost, then: { callback: { drop: true } } }] },
    begin: () => {
      let raised = 0;
      return { ...quiet, loses: () => ++raised <= lost };
    },
  },
  { ...usual, name: 'doubling', copies: 3, scenario: disturbing('doubling', { copies: 3 }) },
  {
    ...usual,
    name: 'gathering',
    gatheredMs: 1000,
    scenario: disturbing('gathering', { order: 'reverse', delay: '1s' }),
  },
  { ...usual, name: 'refusing', isRefusing: true },
  { ...usual, name: 'inbox', hasEndpoint: false },
];

function disturbing(name: string, callback: object): object {
  return { name: `soak-${name}`, rules: [{ then: { callback } }] };
}

function toRule({ operations, every, times, respond, connection, processed }: RequestRule): object {
  return {
    when: { operation: operations, ...(every !== undefined && { request: { every } }) },
    ...(times !== undefined && { times }),
    then: { ...(respond && { respond }), ...(connection && { connection }), ...(processed && { processed }) },
  };
}

function countRequests(): Turns {
  const met = new Map<RequestRule, number>();
  return {
    ...quiet,
    request: (operation) => {
      const rule = requestRules.find(({ operations }) => operations.includes(operation));
      if (!rule) return { processed: true };
      const count = (met.get(rule) ?? 0) + 1;
      met.set(rule, count);
      const { every = 1, times = Number.POSITIVE_INFINITY, respond, connection, processed = false } = rule;
      if (count % every !== 0 || count / every > times) return { processed: true };
      return { ...(respond && { status: respond.status }), ...(connection && { connection }), processed };
    },
  };
}

function entryOf(operation: OperationId, item: number): EntryTurn {
  if (!importsOfJobs.includes(operation)) return undefined;
  if (item % 10 === 0) return 'refuse';
  return item === 3 ? { failsAfterMs: 1000 } : undefined;
}

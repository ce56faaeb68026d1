/** What a project lives under: a scenario, an endpoint, a receiver; and what scenarios of the library do to single requests. */
import type { OperationId } from '../../src/operations/index.ts';
import type { ConnectionFault } from '../../src/scenarios/types.ts';
import type { FaultOf } from '../model/rules.ts';

export interface Story {
  readonly name: string;
  /** As `PUT …/scenarios` takes it. */
  readonly scenario?: object;
  /** What it does to entries. */
  readonly faultOf?: FaultOf;
  /** Whether its callbacks go to the receiver, and not into the inbox. */
  readonly hasEndpoint: boolean;
  /** Whether the receiver refuses some at first. */
  readonly isRefusing: boolean;
  /** Whether most requests lose their callbacks. */
  readonly isLosing: boolean;
  /** How often each callback is sent. */
  readonly copies: number;
  /** How far callbacks may be out of order. */
  readonly gatheredMs: number;
}

const usual = { hasEndpoint: true, isRefusing: false, isLosing: false, copies: 1, gatheredMs: 0 } as const;

const importsOfJobs: readonly OperationId[] = ['asyncImportJobs', 'asyncImportJobsInSubproject', 'syncCreateJobs'];

/** Every story; projects have them in turn. */
export const stories: readonly Story[] = [
  { ...usual, name: 'plain' },
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
    faultOf: (operation, item) => {
      if (!importsOfJobs.includes(operation)) return undefined;
      if (item % 10 === 0) return 'refuse';
      return item === 3 ? { failsAfterMs: 1000 } : undefined;
    },
  },
  { ...usual, name: 'late', scenario: disturbing('late', { delay: '2s' }) },
  { ...usual, name: 'doubling', copies: 3, scenario: disturbing('doubling', { copies: 3 }) },
  {
    ...usual,
    name: 'gathering',
    gatheredMs: 1000,
    scenario: disturbing('gathering', { order: 'reverse', delay: '1s' }),
  },
  { ...usual, name: 'losing', isLosing: true },
  { ...usual, name: 'refusing', isRefusing: true },
  { ...usual, name: 'inbox', hasEndpoint: false },
];

function disturbing(name: string, callback: object): object {
  return { name: `soak-${name}`, rules: [{ then: { callback } }] };
}

/** A scenario of the library that requests name in a header. */
export interface Disturbance {
  readonly name: string;
  readonly status?: number;
  readonly connection?: ConnectionFault;
  /** Whether the request takes effect. */
  readonly processed?: true;
  /** Whether its callbacks are lost. */
  readonly drops?: true;
}

export const disturbances: readonly Disturbance[] = [
  ...[429, 500, 502, 503].map((status) => ({ name: `soak-${status}`, status })),
  { name: 'soak-504', status: 504, processed: true },
  { name: 'soak-truncate', connection: 'truncate', processed: true },
  ...(['hang', 'close', 'reset'] as const).map((connection) => ({ name: `soak-${connection}`, connection })),
];

export const losing: Disturbance = { name: 'soak-drop', drops: true, processed: true };

/** As the library takes it. */
export function toScenario({ name, status, connection, processed, drops }: Disturbance): object {
  if (drops) return { name, rules: [{ then: { callback: { drop: true } } }] };
  const then = { ...(status && { respond: { status } }), ...(connection && { connection }), processed };
  return { name, rules: [{ then }] };
}

/** A request, and its expected result. */
import type { OperationId } from '../../src/operations/index.ts';
import type { ConnectionFault } from '../../src/scenarios/types.ts';
import { headers } from '../model/mistakes.ts';
import { advance } from '../model/rules.ts';
import type { Step as ModelStep } from '../model/steps.ts';
import { type Life, remember } from './life.ts';
import type { Disturbance } from './stories.ts';

/** The expected result of a request. */
export interface Expected {
  /** The status of the response; undefined if the connection breaks. */
  readonly status: number | undefined;
  /** The ids in its list of failures; undefined if the response has no such list. */
  readonly failed?: readonly string[];
  /** The ids in its list of accepted entries. */
  readonly accepted?: readonly string[];
  /** The ids that callbacks report, one list per callback. */
  readonly callbacks: readonly (readonly string[])[];
  /** Whether a scenario drops them. */
  readonly areDropped?: true;
}

export interface Step {
  /** Its name in the table: an operation, or a kind of mistake. */
  readonly kind: string;
  readonly operation?: OperationId;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly expected: Expected;
  /** How the connection breaks. */
  readonly fault?: ConnectionFault;
  /** Called after the request took effect. */
  onApplied(): void;
}

/** A request to the API, before the scenario of its project changes its expected result. */
export interface Wanted extends ModelStep {
  /** Whether the contract accepts it, so that rules match and count it. */
  readonly isSeen: boolean;
}

/** Converts a request to a step, with what a scenario does to it that it names. */
export function toStep(life: Life, wanted: Wanted, named?: Disturbance): Step {
  const { operation, method, path, body, isSeen } = wanted;
  const step = { kind: operation, operation, method, path, headers, body: JSON.stringify(body) };
  const { name = '', status, connection, processed, drops } = named ?? {};
  // A response that breaks off does not tell the id under which callbacks report.
  const isUntold = connection && processed && operation.startsWith('async');
  if (!named || !isSeen || isUntold) return { ...step, ...apply(life, wanted) };
  const nothingApplied = { expected: { status, callbacks: [] }, onApplied: nothing };
  const { expected, onApplied } = processed ? apply(life, wanted) : nothingApplied;
  return {
    ...step,
    headers: { ...headers, 'x-sandbox-scenario': name },
    expected: drops ? { ...expected, areDropped: true } : { status, callbacks: expected.callbacks },
    onApplied,
    ...(connection && { fault: connection }),
  };
}

/** The lists of a response or a callback. */
export interface Listed {
  readonly failed?: readonly { readonly id: string }[];
  readonly jobs?: readonly { readonly orderNumber: string }[];
  readonly orders?: readonly { readonly orderNumber: string }[];
  readonly jobsReceived?: number;
  readonly ordersReceived?: number;
}

/** More than the maximum time until a failure. */
const longMs = 60_000;
const kinds = ['jobs', 'orders', 'routes', 'users'] as const;

/**
 * Applies a request to the model, at once also where the sandbox applies it later: requests name records that exist for
 * certain, so that the order of others does not matter. New records are known after the response.
 */
function apply({ state, known }: Life, { expect }: Wanted): Pick<Step, 'expected' | 'onApplied'> {
  const sizes = kinds.map((kind) => state[kind].size);
  const { status, body } = expect(state, '');
  advance(state, state.now + longMs);
  // The order in which parallel locations arrive is unknown.
  state.devices.clear();
  const { failed, jobs, orders } = body as Listed;
  const created = kinds.map((kind, index) => [...state[kind].keys()].slice(sizes[index]));
  const callbacks = state.callbacks.splice(0).map(({ data }) => (data as Listed).failed?.map(({ id }) => id) ?? []);
  const isLater = status === 202;
  return {
    expected: {
      status,
      ...(failed && { failed: failed.map(({ id }) => id) }),
      ...(failed && { accepted: (jobs ?? orders ?? []).map(({ orderNumber }) => orderNumber) }),
      callbacks,
    },
    onApplied: () => {
      for (const [index, kind] of kinds.entries())
        remember(known[kind][isLater ? 'accepted' : 'stored'], created[index] ?? []);
    },
  };
}

export const nothing = (): void => undefined;

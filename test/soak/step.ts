/** A request, and its expected result. */
import type { OperationId } from '../../src/operations/index.ts';
import type { ConnectionFault } from '../../src/scenarios/types.ts';
import type { Life } from './life.ts';

/** The expected result of a request. */
export interface Expected {
  /** The status of the response; undefined if the connection breaks. */
  readonly status: number | undefined;
  /** The ids in its list of failures; undefined if the response has no such list. */
  readonly failed?: readonly string[];
  /** The number of accepted entries. */
  readonly accepted?: number;
  /** The ids that callbacks report, one list per callback. */
  readonly callbacks: readonly (readonly string[])[];
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

export const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' } as const;

/** A request to the API, before the scenario of its project changes its expected result. */
export interface Wanted {
  readonly operation: OperationId;
  readonly method: string;
  readonly path: string;
  readonly body: object;
  readonly expected: Expected;
  /** Whether the contract accepts it, so that rules match and count it. */
  readonly isSeen: boolean;
  onApplied(): void;
}

/** A scenario that requests enable by header, and its status. */
export const byHeader = { name: 'soak-by-header', status: 502 } as const;

/** Converts a request to a step, with what the project's scenario does to it. */
export function toStep(life: Life, wanted: Wanted, isByHeader: boolean): Step {
  const { operation, method, path, body, expected, isSeen, onApplied } = wanted;
  const step = { kind: operation, operation, method, path, headers, body: JSON.stringify(body), expected, onApplied };
  const turn = isSeen ? life.turns.request(operation) : { processed: true };
  if (isByHeader && isSeen && !life.story.isCounted) {
    const named = { ...headers, 'x-sandbox-scenario': byHeader.name };
    return { ...step, headers: named, expected: { status: byHeader.status, callbacks: [] }, onApplied: nothing };
  }
  if (turn.connection) {
    const { callbacks } = turn.processed ? expected : { callbacks: [] };
    const after = turn.processed ? onApplied : nothing;
    return { ...step, expected: { status: undefined, callbacks }, fault: turn.connection, onApplied: after };
  }
  if (turn.status === undefined) return step;
  if (turn.processed) return { ...step, expected: { status: turn.status, callbacks: expected.callbacks } };
  return { ...step, expected: { status: turn.status, callbacks: [] }, onApplied: nothing };
}

export const nothing = (): void => undefined;

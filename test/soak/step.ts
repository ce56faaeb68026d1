/** A request, and what is to come of it. */
import type { OperationId } from '../../src/operations/index.ts';
import type { ConnectionFault } from '../../src/scenarios/types.ts';
import type { Life } from './life.ts';

/** What should come of a request. */
export interface Foreseen {
  /** Of the answer; undefined where the connection breaks. */
  readonly status: number | undefined;
  /** Which entries its list of failures names; undefined where the answer has none. */
  readonly failed?: readonly string[];
  /** How many were taken. */
  readonly taken?: number;
  /** The failures that are told by callback, those of one callback together. */
  readonly told: readonly (readonly string[])[];
}

export interface Step {
  /** What the table counts it as: an operation, or a kind of mistake or of control. */
  readonly kind: string;
  readonly operation?: OperationId;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly foreseen: Foreseen;
  /** How the connection breaks. */
  readonly fault?: ConnectionFault;
  /** To be called when it has taken effect: from then on its records are known. */
  took(): void;
}

export const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' } as const;

/** A request of the API before the scenario of its project had its say. */
export interface Wanted {
  readonly operation: OperationId;
  readonly method: string;
  readonly path: string;
  readonly body: object;
  readonly foreseen: Foreseen;
  /** Whether the contract lets it through, so that rules see and count it. */
  readonly isSeen: boolean;
  took(): void;
}

/** The name of a scenario that is asked for by header, and its answer. */
export const byHeader = { name: 'soak-by-header', status: 502 } as const;

/** The step that a request is in a project, where requests as such may meet with its scenario. */
export function toStep(life: Life, wanted: Wanted, isByHeader: boolean): Step {
  const { operation, method, path, body, foreseen, isSeen, took } = wanted;
  const step = { kind: operation, operation, method, path, headers, body: JSON.stringify(body), foreseen, took };
  const turn = isSeen ? life.turns.request(operation) : { processed: true };
  if (isByHeader && isSeen && !life.story.isCounted) {
    const named = { ...headers, 'x-sandbox-scenario': byHeader.name };
    return { ...step, headers: named, foreseen: { status: byHeader.status, told: [] }, took: nothing };
  }
  if (turn.connection) {
    const { told } = turn.processed ? foreseen : { told: [] };
    const after = turn.processed ? took : nothing;
    return { ...step, foreseen: { status: undefined, told }, fault: turn.connection, took: after };
  }
  if (turn.status === undefined) return step;
  if (turn.processed) return { ...step, foreseen: { status: turn.status, told: foreseen.told } };
  return { ...step, foreseen: { status: turn.status, told: [] }, took: nothing };
}

export const nothing = (): void => undefined;

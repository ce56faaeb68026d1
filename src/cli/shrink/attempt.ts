/** Types of one run of the command under some rules. */
import type { Rule } from '../../scenarios/types.ts';

/** A rule with its name, by which runs are compared. */
export type NamedRule = Rule & { readonly name: string };

/** A request, or a callback, whose fields match a rule, whether or not the rule fired on it. */
export interface Visit {
  readonly operation: string;
  /** Visits of one scope are counted together: of a project from its creation to its reset, or of the server. */
  readonly scope: string;
  /** Whether one of the entries matches, if the rule selects entries. */
  readonly matches: boolean;
  readonly fired: boolean;
  /** Number of entries in the request. */
  readonly entryCount: number;
  /** Entries on which a rule with `chance` fired; undefined if it fired on all that match. */
  readonly drawn?: readonly number[];
}

/** What the command did under some rules: whether it failed, and the visits of each rule, by its name. */
export interface Attempt {
  readonly fails: boolean;
  readonly visits: ReadonlyMap<string, readonly Visit[]>;
}

export function hasFired({ visits }: Attempt, name: string): boolean {
  return visits.get(name)?.some(({ fired }) => fired) ?? false;
}

/** Returns the operations on which a rule fired, in their order. */
export function firedOperations({ visits }: Attempt, name: string): readonly string[] {
  const fired = visits.get(name)?.filter((visit) => visit.fired) ?? [];
  return [...new Set(fired.map(({ operation }) => operation))];
}

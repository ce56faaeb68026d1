/** Types of compiled scenarios and rule sets. Imports none of the modules that create or use them. */
import type { Entry } from '../operations/command.ts';
import type { RequestRange, Span } from './counts.ts';
import type { Effect } from './effects/effect.ts';
import type { ItemTest } from './item.ts';
import type { FieldTest } from './matcher.ts';
import type { Scenario } from './types.ts';

export interface CompiledRule {
  readonly scenario: string;
  readonly name: string;
  /** The same in every scope in which the rule is active. The random values of the rule are derived from it. */
  readonly id: string;
  readonly seed: string | undefined;
  /** Whether it counts over all projects. */
  readonly isServerWide: boolean;
  readonly operations: readonly string[] | undefined;
  readonly project: readonly string[] | undefined;
  readonly subproject: readonly string[] | undefined;
  readonly where: readonly FieldTest[];
  readonly item: ItemTest | undefined;
  readonly request: RequestRange | undefined;
  readonly during: Span | undefined;
  readonly chance: number | undefined;
  readonly times: number | undefined;
  readonly effects: readonly Effect[];
  /** Whether it counts callbacks in place of requests, because it has no other effect. */
  readonly countsCallbacks: boolean;
}

export interface CompiledScenario {
  readonly name: string;
  readonly description: string | undefined;
  readonly rules: readonly CompiledRule[];
  readonly expectations: readonly CompiledExpectation[];
  readonly source: Scenario;
}

export interface ExpectedCount {
  readonly min: number;
  readonly max: number | undefined;
}

/** The facts of a callback that expectations use. */
export interface CallbackFact {
  readonly type: string;
  readonly state: string;
  readonly operation: string;
  /** Number of the project change that created it. */
  readonly change: number;
}

/** A compiled expectation; `about` describes what is counted. */
export type CompiledExpectation = {
  readonly about: string;
  readonly bounds: ExpectedCount;
  /** Name of the rule that must have fired before. */
  readonly after: string | undefined;
} & (
  | {
      readonly kind: 'requests';
      /** Condition that one of its entries must match. */
      readonly item: ItemTest | undefined;
      appliesTo(operation: string): boolean;
      hasStatus(status: number): boolean;
    }
  | { readonly kind: 'callbacks'; test(callback: CallbackFact): boolean }
  | { readonly kind: 'rule'; readonly rule: string }
);

/** Where a scenario is active, in order of precedence. */
export type Scope = 'first' | 'header' | 'project' | 'server' | 'magic-ids';

/** A rule of a rule set: its key in the counts of a project, and the layer in which it is active. */
export interface ScopedRule {
  readonly key: string;
  /** `first`, `server`, `magic-ids`, `project/NAME`, or `header/NAME`. Each layer has its own activation time. */
  readonly layer: string;
  /** Index among all active rules. */
  readonly index: number;
  readonly rule: CompiledRule;
}

export interface ScopedExpectation {
  readonly key: string;
  readonly layer: string;
  readonly scenario: string;
  readonly expectation: CompiledExpectation;
  /** Keys of the rules of the same scenario that it names. */
  readonly rule: string | undefined;
  readonly after: string | undefined;
}

/** The rules that may match a request, in their order. */
export interface Candidates {
  readonly rules: readonly ScopedRule[];
  /** Indexes of the entries that a rule may match, by the index of the rule. A missing rule may match all entries. */
  readonly entries: ReadonlyMap<number, readonly number[]>;
  /** The indexed fields. Each skipped rule requires another value of one of them, or another id. */
  readonly fields: readonly FieldTest[];
}

/** Whether a rule or an expectation is of a scenario for all projects. */
export function isForAll({ layer }: Pick<ScopedRule, 'layer'>): boolean {
  return layer === 'first' || layer === 'server';
}

/** All active rules in order of precedence, with a lookup by operation, and all expectations. */
export interface RuleSet {
  readonly rules: readonly ScopedRule[];
  readonly expectations: readonly ScopedExpectation[];
  /** Returns the rules for an operation, without those whose id or exact field value no entry has. */
  findCandidates(operation: string, entries: readonly Entry[]): Candidates;
}

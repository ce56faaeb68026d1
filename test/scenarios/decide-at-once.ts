/** Matches a request and decides on it at once. */
import type { RuleSet } from '../../src/scenarios/compile.ts';
import { type Decision, decide, type RuleState } from '../../src/scenarios/decide.ts';
import { createMatching, type Subject } from '../../src/scenarios/matching.ts';

export function decideAtOnce(rules: RuleSet, subject: Subject, state: Omit<RuleState, 'server'>): Decision {
  const server = { counts: new Map(), wallMs: state.now, clockRate: 0 };
  const matching = createMatching(rules, subject);
  matching.run(Number.POSITIVE_INFINITY);
  return decide(matching.end(), subject.entries.length, { ...state, server });
}

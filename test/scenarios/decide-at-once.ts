/** Matches a request and decides on it at once. */
import type { RuleSet } from '../../src/scenarios/compile.ts';
import { type Decision, decide, type RuleState } from '../../src/scenarios/decide.ts';
import { createMatching, type Subject } from '../../src/scenarios/matching.ts';

export function decideAtOnce(rules: RuleSet, subject: Subject, state: RuleState): Decision {
  const matching = createMatching(rules, subject);
  matching.run(Number.POSITIVE_INFINITY);
  return decide(matching.end(), subject.entries.length, state);
}

/** Finds rules of a valid scenario that can never fire. Reports only what no profile and no option can change. */
import type { Scenario } from '../types.ts';
import { findMisplaced } from './operations.ts';
import { findShadowed } from './shadowed.ts';
import { findLimit, findUnreachable } from './unreachable.ts';
import type { Warning } from './warning.ts';

export function findWarnings({ rules }: Scenario): readonly Warning[] {
  const ofRules = rules.flatMap((rule, index) =>
    [...findMisplaced(rule), ...findUnreachable(rule), ...findLimit(rule)].map(({ path, message }) => ({
      path: ['rules', index, ...path],
      message,
    })),
  );
  return [...ofRules, ...findShadowed(rules)];
}

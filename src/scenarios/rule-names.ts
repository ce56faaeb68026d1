/** Checks the names of rules: they must differ, and expectations must name existing ones. */
import type { z } from 'zod';
import { joinNames, show } from '../diagnostics/issue-message.ts';
import { valueAt } from '../lib/pointer.ts';
import { type Rule, type Scenario, toRuleName } from './types.ts';

const maxNamesToGuess = 1000;

/** Whether the names of all rules are known, despite other issues. */
export function areRuleNamesKnown(value: unknown, issues: readonly z.core.$ZodRawIssue[]): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { rules, expect = [] } = value as Partial<Record<keyof Scenario, unknown>>;
  if (!Array.isArray(rules) || !Array.isArray(expect)) return false;
  // A rule with an invalid or misplaced name must not also be reported as missing.
  return !issues.some(({ path = [] }) => path[0] === 'rules' && (path.length <= 2 || path[2] === 'name'));
}

/** Checks that the names of rules differ, and that those in expectations exist. Expectations may have other issues. */
export function checkRuleNames({ rules, expect = [] }: Scenario, context: z.core.$RefinementCtx): void {
  checkDuplicates(rules, context);
  const names = new Set(rules.map(({ name }, index) => toRuleName(name, index)));
  const candidates = [...names].slice(0, maxNamesToGuess);
  for (const [index, expectation] of expect.entries()) {
    for (const { path, name } of namedRules(expectation)) {
      if (typeof name !== 'string' || name === '' || names.has(name)) continue;
      const message = `no rule is named ${show(name)}`;
      context.addIssue({ code: 'custom', path: ['expect', index, ...path], message, params: { candidates } });
    }
  }
}

/** Reports each place of a name that several rules have. A default name such as `rule 2` counts too. */
function checkDuplicates(rules: readonly Rule[], context: z.core.$RefinementCtx): void {
  const indexesByName = new Map<string, number[]>();
  for (const [index, { name }] of rules.entries()) {
    const indexes = indexesByName.get(toRuleName(name, index));
    if (indexes) indexes.push(index);
    else indexesByName.set(toRuleName(name, index), [index]);
  }
  for (const [name, indexes] of indexesByName) {
    if (indexes.length === 1) continue;
    const numbers = joinNames(
      indexes.map((index) => `rule ${index + 1}`),
      'and',
    );
    const message = `several rules have the name ${show(name)}: ${numbers}; expected a different name for each`;
    for (const index of indexes) {
      if (rules[index]?.name !== undefined)
        context.addIssue({ code: 'custom', path: ['rules', index, 'name'], message });
    }
  }
}

/** Returns the values of an expectation at the paths for rule names. */
function namedRules(expectation: unknown): readonly { readonly path: readonly string[]; readonly name: unknown }[] {
  const named = [['rule'], ['after'], ['requests', 'after'], ['callbacks', 'after']];
  return named.map((path) => ({ path, name: valueAt(expectation, path) }));
}

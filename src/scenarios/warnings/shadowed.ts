/** Finds rules whose effects an earlier rule of the scenario always decides. */
import { show } from '../../diagnostics/issue-message.ts';
import { effects } from '../effects/index.ts';
import { type Rule, toRuleName } from '../types.ts';
import { operationsOf } from './operations.ts';
import type { Warning } from './warning.ts';

/** A rule that fires on every request of its operations. */
interface Decider {
  readonly name: string;
  readonly operations: ReadonlySet<string>;
  readonly decided: ReadonlySet<string>;
}

export function findShadowed(rules: readonly Rule[]): readonly Warning[] {
  const deciders: Decider[] = [];
  const warnings: Warning[] = [];
  for (const [index, rule] of rules.entries()) {
    const ids = operationsOf(rule.when?.operation);
    const wanted = wantedBy(rule);
    const decider = deciders.find(
      ({ operations, decided }) => ids.every((id) => operations.has(id)) && wanted.every((kind) => decided.has(kind)),
    );
    if (decider) {
      const kinds = kindsOf(rule).join(' and ');
      const message = `never fires: the earlier rule ${show(decider.name)} always decides ${kinds}`;
      warnings.push({ path: ['rules', index], message });
    } else if (isUnconditional(rule)) {
      const name = toRuleName(rule.name, index);
      deciders.push({ name, operations: new Set(ids), decided: new Set(decidedBy(rule)) });
    }
  }
  return warnings;
}

function isUnconditional({ when = {}, chance, times }: Rule): boolean {
  const isAlways = chance === undefined && times === undefined;
  return isAlways && Object.keys(when).every((key) => key === 'operation');
}

function kindsOf({ then }: Rule): readonly string[] {
  return effects.map(({ kind }) => kind).filter((kind) => kind in then);
}

/** A rule with `callback` alone decides per callback, and does not exclude later rules that decide per request. */
const perCallback = 'callback per callback';

function wantedBy(rule: Rule): readonly string[] {
  const kinds = kindsOf(rule);
  return kinds.length === 1 && kinds[0] === 'callback' ? [perCallback] : kinds;
}

function decidedBy(rule: Rule): readonly string[] {
  return [...wantedBy(rule), ...('callback' in rule.then ? [perCallback] : [])];
}

/** Finds conditions and effects that none of the operations of a rule can have. */
import { type Operation, operationIds, operations } from '../../operations/index.ts';
import { matchesAny, toGlobs } from '../glob.ts';
import type { Globs, ItemCondition, Rule } from '../types.ts';
import type { Warning } from './warning.ts';

/** Returns the ids of the operations that a condition matches. */
export function operationsOf(condition: Globs | undefined): readonly (typeof operationIds)[number][] {
  return operationIds.filter((id) => matchesAny(toGlobs(condition), id));
}

export function findMisplaced({ when = {}, then }: Rule): readonly Warning[] {
  const ids = operationsOf(when.operation);
  const warnings: Warning[] = [];
  if (when.subproject !== undefined && !ids.some((id) => id.endsWith('InSubproject'))) {
    const message = 'never matches: no operation of this rule has a subproject in its URL';
    warnings.push({ path: ['when', 'subproject'], message });
  }
  if (when.item !== undefined && excludesFirst(when.item) && ids.every((id) => toOperation(id).list === undefined)) {
    const message = 'never matches: each operation of this rule has a single entry, number 1';
    warnings.push({ path: ['when', 'item'], message });
  }
  if (then.callback && ids.every((id) => toOperation(id).callbackType === undefined)) {
    const message = 'has no effect: no operation of this rule can cause a callback';
    warnings.push({ path: ['then', 'callback'], message });
  }
  return warnings;
}

function toOperation(id: (typeof operationIds)[number]): Operation {
  return operations[id];
}

/** Whether the condition can't match entry 1. */
function excludesFirst(item: ItemCondition): boolean {
  if (typeof item === 'number') return item !== 1;
  // First, because a list has a method `every`.
  if (Array.isArray(item)) return !item.includes(1);
  return 'every' in item && item.every !== 1;
}

/** Selects the failures that a test tries, and makes a case of each. */
import { operationIds, operations } from '../../operations/index.ts';
import { allCaseKinds, type FailureCase, toCases } from '../../scenarios/cases.ts';
import { type OperationTraits, toTraits } from '../../scenarios/failure-kinds.ts';
import { findUnmatched, matchesAny, toGlobs } from '../../scenarios/glob.ts';
import type { ControlClient } from '../control-client.ts';
import { mistakeAt, show } from '../methods.ts';
import { toMistaken } from '../sandbox-error.ts';
import type { OperationName } from '../types.ts';
import type { FailureFilter, TestFailure } from './types.ts';

/** Returns the traits of each operation of a sandbox, whose profile may change them. */
export async function readTraits(client: ControlClient): Promise<ReadonlyMap<string, OperationTraits>> {
  const items = await client.catalog();
  return new Map(
    items.map(({ operation, mode, failures }) => {
      const statuses = failures.flatMap(({ kind }) => /^status-(\d+)$/.exec(kind)?.[1] ?? []).map(Number);
      return [operation, toTraits(operations[operation as OperationName], mode, statuses)];
    }),
  );
}

export function toTestFailure({ id, operation, name: _name, occurrence: _number, ...rest }: FailureCase): TestFailure {
  return { case: id, operation: operation as OperationName, ...rest };
}

/** Checks the names in a filter. @throws SandboxError that lists every mistake */
export function checkFilter({ operation, kinds }: FailureFilter): void {
  const mistakes = [
    ...findMistakes('operation', 'operation', operation, operationIds),
    ...(kinds === undefined ? [] : findMistakes('kinds', 'kind of failure', kinds, allCaseKinds)),
  ];
  if (mistakes.length > 0) throw toMistaken(mistakes);
}

function findMistakes(key: string, noun: string, value: unknown, names: readonly string[]): readonly string[] {
  const globs: readonly unknown[] = [value].flat();
  if (globs.length > 0 && globs.every((glob) => typeof glob === 'string'))
    return findUnmatched(key, noun, globs, names);
  return [
    `${key}: expected the name of ${noun === 'operation' ? 'an' : 'a'} ${noun}, a glob or a list of them, got ${show(value)}`,
  ];
}

/**
 * Returns the cases of a project, in the order of the operations. `clockRate`: how many times faster than real time its
 * clock runs.
 * @throws SandboxError if no operation has a failure of these kinds
 */
export function selectCases(
  { operation, kinds }: FailureFilter,
  traits: ReadonlyMap<string, OperationTraits>,
  clockRate: number,
): readonly FailureCase[] {
  // Two callbacks: `callback-order-…` needs them.
  const use = { requests: 1, lastEntry: 1, callbacks: 2, callbacksOfProject: 2, clockRate, requestRate: clockRate };
  const found = [...traits]
    .filter(([id]) => matchesAny(toGlobs(operation), id))
    .flatMap(([id, of]) => toCases(id, of, use, 1, 'project'))
    .filter(({ kind }) => matchesAny(toGlobs(kinds), kind));
  if (found.length > 0) return found;
  const operations = [operation].flat().join(', ');
  const hint = [kinds].flat().includes('limit') ? '; limit takes several requests: use project.fail()' : '';
  throw mistakeAt('kinds', `${operations} has no failure of these kinds: ${[kinds].flat().join(', ')}${hint}`);
}

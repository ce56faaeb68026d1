/** Recognizes fixed segments of templates that are identifiers: project ids, and segments that vary over the traffic. */
import { groupBy } from '../exchange.ts';
import type { Candidate, Candidates } from './choose.ts';
import { decode } from './endpoint.ts';
import { scoreOf, toEvidence } from './evidence.ts';
import { operationList } from './facts.ts';
import { type FreeGroup, isWord } from './free-path.ts';

/** Merges groups whose templates differ in one segment only, if the same operations fit best. */
export function mergeVarying(groups: readonly FreeGroup[]): readonly FreeGroup[] {
  const bestOf = new Map(groups.map((group) => [group, findBest(group)]));
  const merged: FreeGroup[] = [];
  for (const group of groups) {
    const at = merged.findIndex(
      (one) => bestOf.get(one) === bestOf.get(group) && findVarying(one, group) !== undefined,
    );
    const other = merged[at];
    const position = other && findVarying(other, group);
    if (!other || position === undefined) {
      merged.push(group);
      continue;
    }
    const template = group.template.split('/').with(position, '{}').join('/');
    const both: FreeGroup = { ...group, template, exchanges: [...other.exchanges, ...group.exchanges] };
    bestOf.set(both, bestOf.get(group) ?? '');
    merged[at] = both;
  }
  return merged.length < groups.length ? mergeVarying(merged) : merged;
}

/** Names the operations that fit best. */
function findBest({ method, template, exchanges }: FreeGroup): string {
  const evidence = toEvidence(exchanges, method, template);
  const scored = operationList.map((fact) => ({ id: fact.id, score: scoreOf(fact, evidence) ?? 0 }));
  const best = Math.max(...scored.map(({ score }) => score));
  return scored
    .filter(({ score }) => score === best)
    .map(({ id }) => id)
    .join();
}

/** Returns the only position at which two templates differ, if neither has a word there. */
function findVarying(
  one: Pick<FreeGroup, 'method' | 'template'>,
  other: Pick<FreeGroup, 'method' | 'template'>,
): number | undefined {
  const [a, b] = [one.template.split('/'), other.template.split('/')];
  if (one.method !== other.method || a.length !== b.length) return undefined;
  const differing = a.flatMap((segment, index) => (segment === b[index] ? [] : [index]));
  const [position] = differing;
  if (position === undefined || differing.length > 1) return undefined;
  return isWord(a[position] ?? '') || isWord(b[position] ?? '') ? undefined : position;
}

/**
 * Removes the candidates that have an identifier as a fixed segment: a project, or a segment in which another group
 * with the same operation differs. Groups without candidates that become equal are merged.
 */
export function refuseLiterals(all: readonly Candidates[], projectIds: ReadonlySet<string>): readonly Candidates[] {
  const isProject = (segment: string): boolean => !isWord(segment) && projectIds.has(decode(segment));
  const open = (template: string, isOpen: (segment: string, index: number) => boolean): string =>
    template
      .split('/')
      .map((segment, index) => (isOpen(segment, index) ? '{}' : segment))
      .join('/');
  const opened = all.map((group): Candidates => {
    const varying = new Set(all.flatMap((other) => (isRival(group, other) ? (findVarying(group, other) ?? []) : [])));
    const template = open(group.template, (segment, index) => isProject(segment) || varying.has(index));
    const isFixed = ({ endpoint }: Candidate): boolean => endpoint.template.split('/').some(isProject);
    const candidates = varying.size > 0 ? [] : group.candidates.filter((one) => !isFixed(one));
    return { ...group, template, candidates };
  });
  const groups = groupBy(
    opened,
    ({ method, template, candidates }) => `${method} ${template} ${candidates.length > 0}`,
  );
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first || first.candidates.length > 0) return group;
    return [{ ...first, exchanges: group.flatMap(({ exchanges }) => exchanges) }];
  });
}

function isRival(one: Candidates, other: Candidates): boolean {
  return one.candidates.some(({ operation }) =>
    other.candidates.some((candidate) => candidate.operation === operation),
  );
}

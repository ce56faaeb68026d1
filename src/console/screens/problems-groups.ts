/** Puts findings together that are of one operation and one cause. */
import type { Finding } from './problems-find.ts';

/** What went wrong in one way. */
export interface Group {
  readonly key: string;
  /** The one that happened last. */
  readonly latest: Finding;
  readonly count: number;
  /** The requests, newest first, each once; where one is not known, its callback. No more than are of use as examples. */
  readonly examples: readonly Finding[];
  readonly requestCount: number;
}

const mostExamples = 20;

/** Groups, the one that happened last first. `findings`: oldest first. */
export function toGroups(findings: readonly Finding[]): readonly Group[] {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const key = keyOf(finding);
    const all = groups.get(key) ?? [];
    all.push(finding);
    // Put last again: of those that happened at the same time, what came last stands first.
    groups.delete(key);
    groups.set(key, all);
  }
  const newestFirst = [...groups].toReversed().map(([key, all]) => toGroup(key, all));
  return newestFirst.toSorted((a, b) => later(b.latest.at, a.latest.at));
}

function toGroup(key: string, all: readonly Finding[]): Group {
  const newestFirst = all.toReversed().toSorted((a, b) => later(b.at, a.at));
  const byRequest = new Map<string, Finding>();
  for (const finding of newestFirst) {
    const example = finding.requestId || finding.callbackId;
    if (!byRequest.has(example)) byRequest.set(example, finding);
  }
  return {
    key,
    latest: newestFirst[0] as Finding,
    count: all.length,
    examples: [...byRequest.values()].slice(0, mostExamples),
    requestCount: byRequest.size,
  };
}

function later(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Paths that lead nowhere are told apart by their method and where they were to lead: the path itself may hold an id. */
function keyOf({ show, kind, operation, place, cause, scenario }: Finding): string {
  const [what = ''] = operation.split(' ');
  return [show, kind, what, place, cause, scenario].join('\n');
}

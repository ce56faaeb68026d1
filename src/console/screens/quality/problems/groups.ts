/** Groups findings with the same operation and cause. */
import type { Finding } from './find.ts';

/** The findings with the same cause. */
export interface Group {
  readonly key: string;
  /** The newest finding. */
  readonly latest: Finding;
  readonly count: number;
  /** Whether there are more events: of a request with very many, only the first are known. */
  readonly hasMore: boolean;
  /** One finding per request, newest first, or per callback if the request is unknown. Limited to `maxExamples`. */
  readonly examples: readonly Finding[];
  readonly requestCount: number;
}

const maxExamples = 20;

/** Returns the groups, the one with the newest finding first. `findings` are ordered oldest first. */
export function toGroups(findings: readonly Finding[]): readonly Group[] {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const key = keyOf(finding);
    const all = groups.get(key) ?? [];
    all.push(finding);
    // Inserted again at the end: if two groups have the same time, the one that was added last comes first.
    groups.delete(key);
    groups.set(key, all);
  }
  const newestFirst = [...groups].toReversed().map(([key, all]) => toGroup(key, all));
  return newestFirst.toSorted((a, b) => compareTimes(b.latest.at, a.latest.at));
}

function toGroup(key: string, all: readonly Finding[]): Group {
  const newestFirst = all.toReversed().toSorted((a, b) => compareTimes(b.at, a.at));
  const byRequest = new Map<string, Finding>();
  for (const finding of newestFirst) {
    const example = finding.requestId || finding.callbackId;
    if (!byRequest.has(example)) byRequest.set(example, finding);
  }
  return {
    key,
    latest: newestFirst[0] as Finding,
    count: all.length,
    hasMore: all.some(({ isCut }) => isCut),
    examples: [...byRequest.values()].slice(0, maxExamples),
    requestCount: byRequest.size,
  };
}

function compareTimes(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The key contains only the method of an unknown path, because the path may contain an id. */
function keyOf({ show, kind, operation, place, cause, scenario }: Finding): string {
  const [what = ''] = operation.split(' ');
  return [show, kind, what, place, cause, scenario].join('\n');
}

/** Reads the requests of a run as rules see them: in order, with their entries, and what each rule did. */
import type { JournalEntry } from '../../../journal/entry.ts';
import type { Json } from '../../../lib/json.ts';
import type { Entry } from '../../../operations/command.ts';
import { operationIds, operations } from '../../../operations/index.ts';
import { parseCommand } from '../../../operations/parse-command.ts';
import type { Stage } from '../../../scenarios/explain.ts';

/** A request of an operation. */
export interface VisitedRequest {
  readonly id: string;
  readonly operation: string;
  /** The life of the project: from its creation to its reset. */
  readonly life: string;
  /** Number among the changes of this life. */
  readonly change: number;
  readonly entries: readonly Entry[];
  /** The condition that each rule did not meet, or its result, by scenario and rule. */
  readonly cameByRule: ReadonlyMap<string, Stage>;
}

/** Returns the key of a rule. Scenarios that are active at the same time have different names. */
export function toRuleKey(scenario: string, rule: string): string {
  return JSON.stringify([scenario, rule]);
}

/** Returns the requests in the order of the journal. */
export function toVisitedRequests(requests: readonly JournalEntry[]): readonly VisitedRequest[] {
  const lifeOf = createLives();
  return requests.flatMap((entry) => {
    const { id, operation, requestBody, evidence } = entry;
    const life = lifeOf(entry);
    if (operation === undefined) return [];
    const explained = entry.explain().map((one) => [toRuleKey(one.scenario, one.rule), one.came] as const);
    const entries = readEntries(operation, requestBody?.read().shown);
    return [{ id, operation, life, change: evidence.change, entries, cameByRule: new Map(explained) }];
  });
}

/** Numbers the lives of projects. After a reset, changes begin at 1 again, at a later time. */
function createLives(): (entry: JournalEntry) => string {
  const lives = new Map<string, { number: number; changes: Set<number>; change: number; atMs: number }>();
  return ({ project = '', evidence: { change, atMs } }) => {
    const life = lives.get(project) ?? { number: 1, changes: new Set<number>(), change, atMs };
    lives.set(project, life);
    // A delayed response comes late: its change and its time are before those of the last one.
    const isReset = life.changes.has(change) || (change < life.change && atMs >= life.atMs);
    if (isReset) {
      life.number += 1;
      life.changes.clear();
    }
    if (isReset || change > life.change) Object.assign(life, { change, atMs });
    life.changes.add(change);
    return `${project} ${life.number}`;
  };
}

function readEntries(operation: string, body: string | undefined): readonly Entry[] {
  const id = operationIds.find((one) => one === operation);
  if (id === undefined) return [];
  try {
    return parseCommand(operations[id], {}, JSON.parse(body ?? '') as Json, new Map()).command.entries;
  } catch {
    // Rules could not read this body either.
    return [];
  }
}

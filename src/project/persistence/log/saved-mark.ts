/** Stores what a project was when it was last written, as far as needed to find what has changed since. */
import { type Endpoint, isSameEndpoint } from '../../../callbacks/callback.ts';
import type { RuleCount } from '../../../scenarios/counts.ts';
import type { ProjectState } from '../../state.ts';
import type { StateValue } from '../format/state-value.ts';

/** Small parts of the project state. A changed part is written to a log line as a whole. */
const smallParts = [
  'clock',
  'dueCount',
  'requestCount',
  'groups',
  'activations',
  'changeCount',
  'serverScenarios',
  'rateWindow',
  'shownMs',
] as const;

export type SmallParts = Pick<StateValue, (typeof smallParts)[number]>;

/** The state at the last write. Objects that are only replaced are compared by identity; others are copied. */
export interface SavedMark {
  /** New objects for records, due work, scenarios or endpoint are rare, so then the whole project is written. */
  readonly records: ProjectState['records'];
  readonly scenarios: ProjectState['scenarios'];
  readonly endpoint: Endpoint | undefined;
  readonly small: Readonly<Record<(typeof smallParts)[number], string>>;
  readonly due: ProjectState['due'];
  /** There may be many counts, so the mark keeps a copy and compares them entry by entry. */
  readonly ruleCounts: Map<string, RuleCount>;
  readonly requestTallies: Map<string, number>;
}

/** Creates a mark of the current state. It keeps the counts of the mark before, which are compared later. */
export function toSavedMark(state: ProjectState, before?: SavedMark): SavedMark {
  const { records, scenarios, endpoint, due } = state;
  return {
    records,
    scenarios,
    endpoint: endpoint && { ...endpoint },
    small: toSmall(state),
    due,
    ruleCounts: before?.ruleCounts ?? new Map(Array.from(state.ruleCounts, ([key, count]) => [key, copyCount(count)])),
    requestTallies: before?.requestTallies ?? new Map(state.requestTallies),
  };
}

/** Whether the rarely changed parts are unchanged, so that the changes can be written as lines. */
export function hasSameRareParts(before: SavedMark, after: SavedMark): boolean {
  const { records, scenarios, due, endpoint } = before;
  const isSame = records === after.records && scenarios === after.scenarios && due === after.due;
  return isSame && isSameEndpoint(endpoint, after.endpoint);
}

/** Returns the small parts that have changed, as members of a JSON object. */
export function toSmallChanges(before: SavedMark, after: SavedMark): string {
  return smallParts
    .filter((name) => after.small[name] !== before.small[name])
    .map((name) => `${JSON.stringify(name)}:${after.small[name]}`)
    .join();
}

/** A change of a count. A key without a count means that the count was deleted. */
export type CountChange<Count> = readonly [key: string, count?: Count];

/** Returns the changes of the rule counts since the mark, and updates the mark. */
export function takeRuleCountChanges(
  { ruleCounts }: SavedMark,
  state: ProjectState,
): readonly CountChange<RuleCount>[] {
  return takeCountChanges(ruleCounts, state.ruleCounts, isSameCount, copyCount);
}

/** Returns the changes of the request tallies since the mark, and updates the mark. */
export function takeTallyChanges({ requestTallies }: SavedMark, state: ProjectState): readonly CountChange<number>[] {
  return takeCountChanges(requestTallies, state.requestTallies, Object.is, (count) => count);
}

function takeCountChanges<Count>(
  marked: Map<string, Count>,
  counts: ReadonlyMap<string, Count>,
  isSame: (one: Count, other: Count) => boolean,
  copy: (count: Count) => Count,
): readonly CountChange<Count>[] {
  const changes: CountChange<Count>[] = [];
  for (const [key, count] of counts) {
    const before = marked.get(key);
    if (before !== undefined && isSame(before, count)) continue;
    const copied = copy(count);
    marked.set(key, copied);
    changes.push([key, copied]);
  }
  if (marked.size === counts.size) return changes;
  for (const key of marked.keys()) {
    if (counts.has(key)) continue;
    marked.delete(key);
    changes.push([key]);
  }
  return changes;
}

function toSmall(state: ProjectState): SavedMark['small'] {
  const parts = { ...state, groups: [...state.groups], activations: [...state.activations] };
  return Object.fromEntries(smallParts.map((name) => [name, JSON.stringify(parts[name])])) as SavedMark['small'];
}

function copyCount(count: RuleCount): RuleCount {
  return count.window ? { ...count, window: { ...count.window } } : { ...count };
}

function isSameCount(one: RuleCount, other: RuleCount): boolean {
  return (
    one.met === other.met &&
    one.acted === other.acted &&
    one.firstDeed === other.firstDeed &&
    one.openedAt === other.openedAt &&
    one.othersThen === other.othersThen &&
    one.window?.from === other.window?.from &&
    one.window?.used === other.window?.used
  );
}

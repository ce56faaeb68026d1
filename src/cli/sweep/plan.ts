/** Chooses the cases of a sweep and their order, and says which failures have none. */
import { ConfigError } from '../../config/config-error.ts';
import type { Options } from '../../config/option-table.ts';
import type { SandboxFiles } from '../../config/sandbox-files.ts';
import { traitsOf } from '../../control-api/catalog.ts';
import { createModes } from '../../core.ts';
import { formatCount } from '../../lib/format.ts';
import { groupBy } from '../../lib/group-by.ts';
import { didYouMean } from '../../lib/nearest.ts';
import { operationIds } from '../../operations/index.ts';
import { allCaseKinds, type FailureCase, toCases } from '../../scenarios/cases.ts';
import { matchesAny, matchesGlob } from '../../scenarios/glob.ts';
import type { Omitted } from '../../sweep-report/report.ts';
import type { SweptOperation } from './baseline.ts';
import { isOfKinds, type SweepOptions } from './sweep-options.ts';

export interface Plan {
  readonly cases: readonly FailureCase[];
  readonly omitted: readonly Omitted[];
}

type Files = Pick<SandboxFiles, 'contract' | 'applied'>;
type Selection = Pick<SweepOptions, 'operations' | 'kinds' | 'occurrences' | 'quick'> & Pick<Options, 'magicIds'>;
type Used = ReadonlyMap<string, SweptOperation>;

/** Lists the cases of all kinds that the operations of a command can have. */
export function listCases(
  { contract, applied: { profile } }: Files,
  used: Used,
  { operations, occurrences }: Partial<Pick<Selection, 'operations' | 'occurrences'>> = {},
): readonly FailureCase[] {
  const modeOf = createModes(profile);
  return operationIds
    .filter((id) => used.has(id) && matchesAny(operations, id))
    .flatMap((id) => {
      const use = used.get(id) as SweptOperation;
      const most = use.varies ? 1 : (occurrences ?? Number.MAX_SAFE_INTEGER);
      return toCases(id, traitsOf({ contract, modeOf }, id), use, most);
    });
}

/**
 * Returns the cases: what was bad last time (`lastBad`: ids of cases), then each kind once at every operation, then outages,
 * then further occurrences. Kinds that most clients report, such as a 404, come after the others.
 * @throws ConfigError if there is none
 */
export function planCases(files: Files, used: Used, selection: Selection, lastBad: ReadonlySet<string>): Plan {
  const { kinds, quick } = selection;
  const all = listCases(files, used, selection);
  const mistakes = findMistakes(all, used, selection);
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  const selected = all.filter(({ id }) => isOfKinds(kinds, id));
  const chosen = quick ? chooseQuick(selected, used) : selected;
  const kindOrder = [...new Set(selected.map(({ kind }) => kind))];
  const rankOf = ({ id, always, occurrence, kind, expects }: FailureCase): readonly number[] => [
    lastBad.has(id) ? 0 : 1,
    occurrence,
    always ? 1 : 0,
    expects === 'report' && kind.startsWith('status-') ? 1 : 0,
    kindOrder.indexOf(kind),
  ];
  const cases = chosen.toSorted((one, other) => compareLists(rankOf(one), rankOf(other)));
  return { cases, omitted: [...explainQuick(selected, chosen), ...findOmitted(all, used, selection)] };
}

/** Says which cases `--quick` leaves out: of other operations, failures that go on, and others. */
function explainQuick(selected: readonly FailureCase[], chosen: readonly FailureCase[]): readonly Omitted[] {
  const left = selected.filter((one) => !chosen.includes(one));
  const tried = new Set(chosen.map(({ operation }) => operation));
  const others = groupBy(
    left.filter(({ operation }) => !tried.has(operation)),
    ({ operation }) => operation,
  );
  const same = left.filter(({ operation }) => tried.has(operation));
  const outages = same.filter(({ always }) => always).length;
  const rest = same.length - outages;
  return [
    ...[...others].map(([operation, { length }]) => ({
      what: `${formatCount(length, 'case')} of ${operation}`,
      why: `--quick tries each kind at one operation; add --operation ${operation}`,
    })),
    ...(outages > 0
      ? [{ what: formatCount(outages, 'outage'), why: 'they show retries without end; without --quick they are tried' }]
      : []),
    ...(rest > 0 ? [{ what: formatCount(rest, 'other case'), why: '--quick tries each kind once' }] : []),
  ];
}

function compareLists(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((number, at) => number !== other[at]);
  return index < 0 ? 0 : (one[index] ?? 0) - (other[index] ?? 0);
}

/**
 * Chooses one case of each kind: at the operation whose requests wrote the most records in the baseline, because a lost
 * one shows there; of equal ones, at the one that was used first. Callbacks: at the operation that had the most.
 */
function chooseQuick(cases: readonly FailureCase[], used: Used): readonly FailureCase[] {
  const order = [...used.keys()];
  const weightOf = ({ kind, operation }: FailureCase): number => {
    const { callbacks = 0, records = 0 } = used.get(operation) ?? {};
    return kind.startsWith('callback-') ? callbacks : records;
  };
  const best = new Map<string, FailureCase>();
  const byUse = cases.toSorted((one, other) => order.indexOf(one.operation) - order.indexOf(other.operation));
  for (const one of byUse) {
    const other = best.get(one.kind);
    if (!other || weightOf(one) > weightOf(other)) best.set(one.kind, one);
  }
  return [...best.values()];
}

/** Returns why there is no case to run, or a mistake for each kind that no operation of the API can have. */
function findMistakes(
  cases: readonly FailureCase[],
  used: Used,
  { operations, kinds = ['*'], magicIds }: Selection,
): readonly string[] {
  if (cases.length === 0)
    return [`--operation ${operations}: no case; the command uses ${[...used.keys()].join(', ')}`];
  const names = [...new Set(cases.map(({ kind }) => kind))];
  const numbered = cases.map(({ id, operation }) => id.slice(operation.length + 1));
  const empty = kinds.filter((glob) => !cases.some(({ id }) => isOfKinds([glob], id)));
  const isEmpty = empty.length === kinds.length;
  const wrong = empty.filter((glob) => isEmpty || !allCaseKinds.some((name) => matchesGlob(glob, name)));
  if (wrong.length === 0) return [];
  return [
    ...wrong.map((glob) => {
      const why = explainOmission(glob, new Set(names), magicIds);
      return `--kind: no case is of the kind ${JSON.stringify(glob)}${why ? ` (${why})` : didYouMean(glob, glob.includes('/') ? numbered : names)}`;
    }),
    `the cases of this command are of the kinds ${names.join(', ')}`,
  ];
}

/** Lists the kinds that were wanted and have no case. */
function findOmitted(
  cases: readonly FailureCase[],
  used: Used,
  { kinds, occurrences, operations, magicIds }: Selection,
): readonly Omitted[] {
  const names = new Set(cases.map(({ kind }) => kind));
  const isMissing = (name: string): boolean => matchesAny(kinds, name) && !names.has(name);
  const reasons = groupBy(allCaseKinds.filter(isMissing), (kind) => explainOmission(kind, names, magicIds) ?? '');
  reasons.delete('');
  const repeated = [...used]
    .filter(([id, { requests }]) => matchesAny(operations, id) && requests > occurrences)
    .map(([id]) => id);
  return [
    ...[...reasons].map(([why, all]) => ({
      what: all.length > 5 ? `${all[0]?.split('-')[0]}-*` : all.join(', '),
      why,
    })),
    ...(repeated.length > 0
      ? [{ what: `later requests of ${repeated.join(', ')}`, why: 'they need --occurrences each' }]
      : []),
  ];
}

/** Returns what the command did not do in the baseline, so that a kind has no case. `kinds`: those that have one. */
function explainOmission(kind: string, kinds: ReadonlySet<string>, magicIds: boolean): string | undefined {
  if (kind === 'limit') return 'the command must call an operation twice, on a clock that runs';
  if (kind.endsWith('-last')) return 'no request of the command has two entries that succeed';
  if (!kind.startsWith('callback-')) return undefined;
  if (!kinds.has('callback-drop'))
    return `the baseline had no callback: the command needs a receiver, and an entry that fails later, ${magicIds ? 'such as the magic id FAIL-1' : 'by a scenario: magic ids are disabled'}`;
  return kind === 'callback-delay'
    ? 'the clock of the command is frozen'
    : 'a project of the command must have two callbacks';
}

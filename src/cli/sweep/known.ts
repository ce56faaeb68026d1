/** Reads and updates the file of accepted weaknesses: the verdict of each bad case. */
import { isObject } from '../../lib/json.ts';
import type { SweepCase, SweepReport } from '../../sweep-report/report.ts';
import { isBad, type Verdict, verdictNames } from '../../sweep-report/verdicts.ts';
import { readJsonFile } from '../output/json-file.ts';
import { clearReports } from '../output/report-file.ts';

/** Accepted verdicts, by case. */
export type Known = ReadonlyMap<string, Verdict>;

/** Returns the accepted weaknesses, and adds the mistakes of the file. */
export async function readKnown(file: string | undefined, mayBeMissing: boolean, mistakes: string[]): Promise<Known> {
  if (file === undefined) return new Map();
  const fail = (mistake: string): number => mistakes.push(`--known: ${file}: ${mistake}`);
  const read = await readJsonFile(file);
  const isMissing = 'reason' in read && read.code === 'ENOENT';
  if ('reason' in read) {
    if (isMissing && mayBeMissing) await clearReports(mistakes, [['--known', file, '{']]);
    else fail(`${read.reason}${isMissing ? '; create it with --update-known' : ''}`);
    return new Map();
  }
  const { value } = read;
  if (!isObject(value)) {
    fail('expected a JSON object of cases and verdicts, as --update-known writes it');
    return new Map();
  }
  for (const [id, verdict] of Object.entries(value)) {
    const isBadVerdict = badVerdicts.includes(verdict);
    if (!isBadVerdict) fail(`${id}: expected ${badVerdicts.join(', ')}; got ${JSON.stringify(verdict)}`);
  }
  return new Map(Object.entries(value) as (readonly [string, Verdict])[]);
}

const badVerdicts: readonly unknown[] = verdictNames.filter(isBad);

/** Returns the bad cases that are not accepted, or with another verdict. */
export function findNew({ cases }: SweepReport, known: Known): readonly SweepCase[] {
  return cases.filter((one) => isBad(one.verdict) && known.get(one.case) !== one.verdict);
}

/** Returns the accepted cases that were tried and are no longer bad. */
export function findMended({ cases }: SweepReport, known: Known): readonly SweepCase[] {
  return cases.filter((one) => !isBad(one.verdict) && known.has(one.case));
}

/** Returns the content of the file after this sweep: its bad cases, and those that it did not try. */
export function toKnown({ cases }: SweepReport, known: Known): Readonly<Record<string, Verdict>> {
  const tried = new Set(cases.map((one) => one.case));
  const bad = cases.filter(({ verdict }) => isBad(verdict)).map((one) => [one.case, one.verdict] as const);
  const all = [...[...known].filter(([id]) => !tried.has(id)), ...bad];
  return Object.fromEntries(all.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** Reads and writes the file of accepted weaknesses: the verdict of each bad case. */
import { writeFile } from 'node:fs/promises';
import { parseJson } from '../../client/send.ts';
import { readTextFile } from '../../lib/text-file.ts';
import type { SweepCase, SweepReport } from '../../sweep-report/report.ts';
import { isBad, type Verdict, verdictNames } from '../../sweep-report/verdicts.ts';

/** Accepted verdicts, by case. */
export type Known = ReadonlyMap<string, Verdict>;

/** @returns the accepted weaknesses, or the mistakes of the file */
export async function readKnown(
  file: string | undefined,
  mayBeMissing: boolean,
): Promise<{ readonly known: Known } | { readonly mistakes: readonly string[] }> {
  if (file === undefined) return { known: new Map() };
  const read = await readTextFile(file);
  if ('text' in read) return parseKnown(file, read.text);
  const isMissing = read.code === 'ENOENT';
  if (isMissing && mayBeMissing) return { known: new Map() };
  return { mistakes: [`--known: ${file}: ${read.reason}${isMissing ? '; create it with --update-known' : ''}`] };
}

function parseKnown(file: string, text: string): { readonly known: Known } | { readonly mistakes: readonly string[] } {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return {
      mistakes: [`--known: ${file}: expected a JSON object of cases and verdicts, as --update-known writes it`],
    };
  }
  const entries = Object.entries(value);
  const mistakes = entries
    .filter(([, verdict]) => !badVerdicts.includes(verdict))
    .map(
      ([id, verdict]) => `--known: ${file}: ${id}: expected ${badVerdicts.join(', ')}; got ${JSON.stringify(verdict)}`,
    );
  return mistakes.length > 0 ? { mistakes } : { known: new Map(entries as [string, Verdict][]) };
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

/** Writes the bad cases of this sweep. Those that it did not try stay. @returns the number of cases */
export async function writeKnown(file: string, { cases }: SweepReport, known: Known): Promise<number> {
  const tried = new Set(cases.map((one) => one.case));
  const bad = cases.filter(({ verdict }) => isBad(verdict)).map((one) => [one.case, one.verdict] as const);
  const all = [...[...known].filter(([id]) => !tried.has(id)), ...bad];
  const sorted = all.toSorted(([one], [other]) => (one < other ? -1 : 1));
  await writeFile(file, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
  return sorted.length;
}

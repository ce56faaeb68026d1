/** `field-sandbox replay FILE|DIR…`: replays recordings, and prints every difference. */
import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError } from '../../config/config-error.ts';
import { formatCount } from '../../lib/format.ts';
import { createWallClock, type WallClock } from '../../lib/time.ts';
import { type Io, printTo } from '../frame/io.ts';
import { clearReports, junitBeginning, writeJunit } from '../output/report-file.ts';
import { printMistakes } from '../output/text.ts';
import type { Check } from '../report/checks.ts';
import { type Judgement, judgeExactly, judgeVaried, readVariation, type Variation } from './judge.ts';
import { RecordingReader } from './read.ts';

/** Arguments and options of `replay`. */
export interface ReplayRequest {
  /** Recordings, and folders with recordings. */
  readonly files: readonly string[];
  /** File for the results as JUnit XML. */
  readonly junit?: string | undefined;
  /** Profile to replay under. */
  readonly profile?: string | undefined;
  /** Scenarios for all projects to replay under. */
  readonly scenarios?: readonly string[] | undefined;
}

type Result = Judgement & { readonly file: string };

const suiteName = 'field-sandbox replay';
const marks = { same: '✓', different: '✗', unplayable: '–' } as const;

/**
 * Replays files and folders.
 * @returns 0 if nothing differs, 1 if anything differs, 2 if nothing was found or a recording can't be replayed
 */
export async function runReplay(
  { files, junit, profile, scenarios }: ReplayRequest,
  io: Pick<Io, 'stdout' | 'stderr'>,
  wall: WallClock = createWallClock(),
): Promise<number> {
  const [print, printError] = [printTo(io.stdout), printTo(io.stderr)];
  const mistakes: string[] = [];
  const variation = await readVariation(profile, scenarios, mistakes);
  await clearReports(mistakes, [['--junit', junit, junitBeginning]]);
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  const found = await findFiles(files);
  const isSingle = found.length === 1 && found[0]?.isInFolder === false;
  const reader = new RecordingReader();
  const results: Result[] = [];
  for (const one of found) {
    const result = await judgeFile(one, variation, reader, wall);
    if (!result) continue;
    results.push(result);
    if (!isSingle) print(`${marks[result.kind]} ${result.file}: ${result.summary}\n`);
  }
  const [first] = results;
  if (!first) throw new ConfigError([`no recordings in ${files.join(', ')}`]);
  if (isSingle && first.kind === 'unplayable') printMistakes(first.details, printError);
  else print(isSingle ? `${first.details.join('\n')}\n` : toText(results));
  const problems = await writeJunit(junit, suiteName, [{ name: suiteName, checks: results.map(toCheck) }]);
  for (const problem of problems) printError(`${problem}\n`);
  return toExitCode(results) || Number(problems.length > 0);
}

function toExitCode(results: readonly Result[]): number {
  const kinds = new Set(results.map(({ kind }) => kind));
  return kinds.has('different') ? 1 : kinds.has('unplayable') ? 2 : 0;
}

/** Replays one recording. Returns undefined for a JSON file in a folder that is no recording. */
async function judgeFile(
  { file, isInFolder }: FoundFile,
  variation: Variation | undefined,
  reader: RecordingReader,
  wall: WallClock,
): Promise<Result | undefined> {
  const toUnplayable = (mistakes: readonly string[]): Result => {
    return { file, kind: 'unplayable', summary: 'cannot be replayed', details: mistakes, reasons: mistakes };
  };
  const read = await reader.readFile(file);
  if ('mistakes' in read) return isInFolder && read.isOther ? undefined : toUnplayable(read.mistakes);
  const { changes, project } = read.recording;
  // The sandbox also records a project that nobody has used.
  if (changes.length === 0) return toUnplayable([`${file}: ${toEmptiness(project)}`]);
  return { file, ...(variation ? await judgeVaried(read, variation) : await judgeExactly(read, wall)) };
}

function toEmptiness(project: string): string {
  return `nothing to replay: project ${JSON.stringify(project)} had received no requests or changes; check the project id, and record it after its first request`;
}

/** Formats the differences and mistakes of several recordings, and their numbers. */
function toText(results: readonly Result[]): string {
  const of = (kind: Judgement['kind']): number => results.filter((result) => result.kind === kind).length;
  const [different, unplayable] = [of('different'), of('unplayable')];
  const verb = different === 1 ? 'differs' : 'differ';
  const left = unplayable > 0 ? `, ${unplayable} cannot be replayed` : '';
  const details = results.flatMap(({ kind, file, details: lines }) => {
    if (kind === 'same') return [];
    return kind === 'different' ? ['', file, ...lines.map((line) => `  ${line}`)] : ['', ...lines];
  });
  const totals = `${different} of ${formatCount(results.length, 'recording')} ${verb}${left}`;
  return [...details, '', totals].map((line) => `${line}\n`).join('');
}

function toCheck({ kind, file, summary, reasons }: Result): Check {
  const outcome = kind === 'same' ? 'passed' : 'failed';
  return { name: file, outcome, text: summary, reason: reasons.join('\n') };
}

interface FoundFile {
  readonly file: string;
  /** Whether the arguments name its folder only, so that JSON files of other kinds are skipped. */
  readonly isInFolder: boolean;
}

/** Lists the files, in the order of the arguments; those of a folder by name. */
async function findFiles(given: readonly string[]): Promise<readonly FoundFile[]> {
  const found = await Promise.all(
    given.map(async (file) => {
      const isFolder = (await stat(file).catch(() => undefined))?.isDirectory() === true;
      return isFolder ? listFolder(file) : [{ file, isInFolder: false }];
    }),
  );
  return found.flat();
}

async function listFolder(folder: string): Promise<readonly FoundFile[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => undefined);
  // Reading it as a file finds the reason.
  if (!entries) return [{ file: folder, isInFolder: true }];
  const sorted = entries.filter(({ name }) => !isSkipped(name)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const found = await Promise.all(sorted.map((entry) => listEntry(folder, entry)));
  return found.flat();
}

async function listEntry(folder: string, entry: Dirent): Promise<readonly FoundFile[]> {
  const file = path.join(folder, entry.name);
  if (entry.isDirectory()) return listFolder(file);
  return entry.isFile() && entry.name.endsWith('.json') ? [{ file, isInFolder: true }] : [];
}

/** Folders of packages and of tools hold many files, but no recordings. */
function isSkipped(name: string): boolean {
  return name === 'node_modules' || name.startsWith('.');
}

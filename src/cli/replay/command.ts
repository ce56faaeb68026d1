/** `field-sandbox replay FILE|DIR…`: replays recordings, and prints every difference. */
import { createWallClock, type WallClock } from '../../lib/time.ts';
import type { Suite } from '../output/junit.ts';
import { clearReport, junitBeginning, writeSuites } from '../output/report-file.ts';
import { count, printMistakes } from '../output/text.ts';
import { type FoundFile, findFiles } from './find-files.ts';
import {
  createExactJudge,
  createVariedJudge,
  findEmptiness,
  type Judge,
  type JudgeDeps,
  type Judgement,
} from './judge.ts';
import { createRecordingReader, type RecordingReader } from './read.ts';

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

export interface ReplayOutput {
  print(text: string): void;
  printError(text: string): void;
  /** Writes the progress line; omit it without a terminal. */
  readonly showLine?: ((text: string) => void) | undefined;
}

type Result = { readonly file: string; readonly judgement: Judgement };

/**
 * Replays files and folders.
 * @returns 0 if nothing differs, 1 if anything differs, 2 if nothing was found or a recording can't be replayed
 */
export async function runReplay(
  request: ReplayRequest,
  output: ReplayOutput,
  wall: WallClock = createWallClock(),
): Promise<number> {
  const { files, junit } = request;
  const { print, printError } = output;
  const junitMistakes = await clearReport('--junit', junit, junitBeginning);
  const judge = await createJudge(request, { wall, showLine: output.showLine });
  const mistakes = [...junitMistakes, ...('mistakes' in judge ? judge.mistakes : [])];
  if ('mistakes' in judge || mistakes.length > 0) return printMistakes(mistakes, printError);
  const found = await findFiles(files);
  const [single] = found.length === 1 && found[0]?.isInFolder === false ? found : [];
  const results = await judgeAll(found, judge, single ? () => undefined : print);
  const [first] = results;
  if (!first) return printMistakes([`no recordings in ${files.join(', ')}`], printError);
  if (single) printSingle(first, output);
  else print(toText(results));
  const problems = junit === undefined ? [] : await writeSuites(junit, suiteName, [toSuite(results)]);
  for (const problem of problems) printError(`${problem}\n`);
  return toExitCode(results) || (problems.length > 0 ? 1 : 0);
}

async function createJudge(
  { profile, scenarios }: ReplayRequest,
  deps: JudgeDeps,
): ReturnType<typeof createVariedJudge> {
  if (profile === undefined && scenarios === undefined) return createExactJudge(deps);
  return createVariedJudge({ profile, scenarios }, deps);
}

/** Replays the recordings one after another, and prints a line for each. */
async function judgeAll(
  found: readonly FoundFile[],
  judge: Judge,
  print: (text: string) => void,
): Promise<readonly Result[]> {
  const reader = createRecordingReader();
  const results: Result[] = [];
  for (const one of found) {
    const judgement = await judgeFile(one, reader, judge);
    if (!judgement) continue;
    results.push({ file: one.file, judgement });
    print(`${toLine(one.file, judgement)}\n`);
  }
  return results;
}

const suiteName = 'field-sandbox replay';

/** Returns undefined for a JSON file in a folder that is no recording. */
async function judgeFile(
  { file, isInFolder }: FoundFile,
  reader: RecordingReader,
  judge: Judge,
): Promise<Judgement | undefined> {
  const read = await reader.readFile(file);
  if ('mistakes' in read)
    return isInFolder && read.isOther ? undefined : { kind: 'unplayable', mistakes: read.mistakes };
  const emptiness = findEmptiness(read.recording);
  if (emptiness !== undefined) return { kind: 'unplayable', mistakes: [`${file}: ${emptiness}`] };
  return judge(read);
}

function toExitCode(results: readonly Result[]): number {
  const kinds = new Set(results.map(({ judgement }) => judgement.kind));
  return kinds.has('different') ? 1 : kinds.has('unplayable') ? 2 : 0;
}

function printSingle({ judgement }: Result, { print, printError }: ReplayOutput): void {
  if (judgement.kind === 'unplayable') printMistakes(judgement.mistakes, printError);
  else print(`${judgement.kind === 'same' ? judgement.summary : judgement.details.join('\n')}\n`);
}

const marks = { same: '✓', different: '✗', unplayable: '–' } as const;

function toLine(file: string, judgement: Judgement): string {
  const summary = judgement.kind === 'unplayable' ? 'cannot be replayed' : judgement.summary;
  return `${marks[judgement.kind]} ${file}: ${summary}`;
}

/** Formats the differences and mistakes of several recordings, and their numbers. */
function toText(results: readonly Result[]): string {
  const of = (kind: Judgement['kind']): number => results.filter(({ judgement }) => judgement.kind === kind).length;
  const [different, unplayable] = [of('different'), of('unplayable')];
  const totals = [
    `${different} of ${count(results.length, 'recording')} ${different === 1 ? 'differs' : 'differ'}`,
    ...(unplayable > 0 ? [`${unplayable} cannot be replayed`] : []),
  ];
  const details = results.flatMap(({ file, judgement }) => {
    if (judgement.kind === 'same') return [];
    return judgement.kind === 'different'
      ? ['', file, ...judgement.details.map((line) => `  ${line}`)]
      : ['', ...judgement.mistakes];
  });
  return [...details, '', totals.join(', ')].map((line) => `${line}\n`).join('');
}

function toSuite(results: readonly Result[]): Suite {
  return {
    name: suiteName,
    cases: results.map(({ file, judgement }) => {
      if (judgement.kind === 'same') return { name: file };
      return {
        name: file,
        failure: (judgement.kind === 'different' ? judgement.reasons : judgement.mistakes).join('\n'),
      };
    }),
  };
}

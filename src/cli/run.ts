/** `field-sandbox run`: starts a sandbox, runs a command against it, judges what came of it. */
import { constants } from 'node:os';
import { styleText } from 'node:util';
import { createWallClock, type WallClock } from '../base/time.ts';
import { parseKey } from '../contract/keys.ts';
import { OperatorError } from '../operator-files.ts';
import { type Options, runIgnores, runUsuals } from '../option-table.ts';
import { extendEnvironment, type OptionTexts, parseOptions, readEnvironment } from '../options.ts';
import { type Sandbox, startSandbox } from '../sandbox.ts';
import { createEvidence } from '../verdict/evidence.ts';
import { settle } from '../verdict/settle.ts';
import { runChild, untilSignal } from './child.ts';
import { markdownBeginning, toMarkdown } from './coverage-markdown.ts';
import { parsePercent, percentMistake } from './coverage-words.ts';
import { junitBeginning, writeJunit } from './junit-file.ts';
import { toListenMistake } from './listen-mistake.ts';
import { tellOfRequests, toBugLines } from './log.ts';
import { showProgress } from './progress.ts';
import { count, type Run, toExitCode, toReport } from './report.ts';
import { clearReport, writeReport } from './report-file.ts';
import { hideSecrets, toShown } from './shown.ts';

/** How long what is still open may take to end, once the report is written. */
const graceMs = 1000;

const complain = (text: string): void => void process.stderr.write(text);

/** What `run` was asked for. */
export interface RunRequest {
  readonly given: OptionTexts;
  /** Where the report goes as JUnit XML. */
  readonly junit: string | undefined;
  /** Where what was met goes as Markdown. */
  readonly coverage: string | undefined;
  /** How many percent are to be met at least. */
  readonly minCoverage: string | undefined;
  /** The command and its arguments; undefined where no `--` stood before it. */
  readonly command: readonly string[] | undefined;
}

/** @returns the exit code: the command's where it is not 0, else 1 where anything was not as expected; 2 for bad options */
export async function runRun(request: RunRequest): Promise<number> {
  const { given, command = [] } = request;
  if (command.length === 0)
    return fail(['expected a command after --, such as: field-sandbox run --scenario outage -- npm test']);
  const unfit = await checkReports(request);
  const parsed = parseOptions(...toOwnDefaults(given, readEnvironment()));
  if (!parsed.ok || unfit.length > 0) return fail([...(parsed.ok ? [] : parsed.mistakes), ...unfit]);
  for (const remark of parsed.remarks) complain(`note: ${remark}\n`);
  const wall = createWallClock();
  const bugs: string[] = [];
  try {
    const sandbox = await startSandbox(parsed.options, toNotices(bugs), wall);
    const run = await runIn(sandbox, parsed.options, request, bugs, wall);
    const code = typeof run === 'number' ? run : await tell(run, parsed.options, request);
    await Promise.race([sandbox.close(), new Promise<void>((over) => wall.after(graceMs, over))]);
    return code;
  } catch (error) {
    if (error instanceof OperatorError) return fail(error.mistakes);
    const mistake = toListenMistake(error, parsed.options);
    if (mistake) return fail([mistake]);
    throw error;
  }
}

/** What is wrong with what is asked for beside the options; takes older reports away. */
async function checkReports({ junit, coverage, minCoverage }: RunRequest): Promise<readonly string[]> {
  const noJunit = junit === undefined ? undefined : await clearReport(junit, junitBeginning);
  const noCoverage = coverage === undefined ? undefined : await clearReport(coverage, markdownBeginning);
  const isPercent = minCoverage === undefined || parsePercent(minCoverage) !== undefined;
  return [
    ...(noJunit ? [`--junit: ${noJunit}`] : []),
    ...(noCoverage ? [`--coverage: ${noCoverage}`] : []),
    ...(isPercent ? [] : [`--min-coverage: ${percentMistake(minCoverage)}`]),
  ];
}

/** What is given here, over the environment, over what is usual for a run. */
function toOwnDefaults(
  given: OptionTexts,
  environment: Readonly<Record<string, string>>,
): [OptionTexts, Readonly<Record<string, string>>] {
  const own = Object.fromEntries(Object.entries(environment).filter(([name]) => !runIgnores.includes(name)));
  const log = own['SANDBOX_LOG'];
  return [{ ...runUsuals, ...(log !== undefined && { log }), ...given }, own];
}

function toNotices(bugs: string[]): Parameters<typeof startSandbox>[1] {
  return {
    bug: (id, error) => {
      bugs.push(`${id}: ${error instanceof Error ? error.message : String(error)}`);
      complain(toBugLines(id, error));
    },
    remark: (text) => complain(`${text}\n`),
  };
}

/** What the run came to, or the code where the command could not be run. */
async function runIn(
  { url, tls, journal, worlds, coverage }: Sandbox,
  options: Options,
  { command = [], ...request }: RunRequest,
  bugs: string[],
  wall: WallClock,
): Promise<Run | number> {
  const evidence = createEvidence({ worlds, journal });
  const form = options.log !== 'auto' ? options.log : process.stderr.isTTY ? 'pretty' : 'json';
  const told = tellOfRequests(journal, form, complain);
  const shown = toShown(command, options);
  const startedMs = wall.elapsed();
  complain(`field-sandbox on ${url}, seed ${options.seed}: ${shown}\n`);
  const key = parseKey(options.apiKeys[0] ?? '');
  const environment = extendEnvironment({
    SANDBOX_URL: url,
    SANDBOX_API_KEY: typeof key === 'string' ? '' : key.key,
    ...(tls && { SANDBOX_TLS_URL: tls.url }),
  });
  const toProgress = (): string => {
    const { requests, callbacks } = evidence.progress();
    const took = toSeconds(wall.elapsed() - startedMs);
    return `field-sandbox: ${count(requests, 'request')}, ${count(callbacks, 'callback')}, ${took}`;
  };
  const hide = showProgress(process.stderr, wall, toProgress, environment['TERM']);
  try {
    const ended = await runChild(command, environment, wall, ownsTerminal());
    if ('mistake' in ended) {
      complain(`${ended.mistake}\n`);
      return ended.code;
    }
    const settled = settle(worlds).catch((error: unknown) => toNotices(bugs).bug('settling', error));
    const signal = await untilSignal(settled);
    if (signal) {
      complain(`\n${signal}: ended before all that was still to come had happened, so nothing is judged\n`);
      return 128 + constants.signals[signal];
    }
    const least = request.minCoverage === undefined ? undefined : parsePercent(request.minCoverage);
    const isWanted = request.coverage !== undefined || least !== undefined;
    const met = isWanted ? { report: coverage(), least } : undefined;
    return { command: shown, ...ended, verdict: evidence.conclude(), bugs, ...(met && { coverage: met }) };
  } finally {
    await told();
    hide();
  }
}

function ownsTerminal(): boolean {
  return [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
}

/** Prints and writes the reports. @returns the exit code */
async function tell(run: Run, options: Options, { junit, coverage }: RunRequest): Promise<number> {
  complain(`field-sandbox: the command ended with ${run.code} after ${toSeconds(run.ms)}\n`);
  const report = toReport(run, (colour, text) => styleText(colour, text, { stream: process.stdout }));
  await new Promise<void>((written) => process.stdout.write(hideSecrets(report, options), () => written()));
  const code = toExitCode(run);
  const noJunit = junit === undefined ? undefined : await writeJunit(junit, run, options);
  const met = coverage === undefined ? undefined : run.coverage?.report;
  const noCoverage = coverage !== undefined && met ? await writeReport(coverage, toMarkdown(met)) : undefined;
  if (noJunit) complain(`--junit: ${noJunit}\n`);
  if (noCoverage) complain(`--coverage: ${noCoverage}\n`);
  return code === 0 && (noJunit || noCoverage) ? 1 : code;
}

function toSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function fail(mistakes: readonly string[]): number {
  for (const mistake of mistakes) complain(`${mistake}\n`);
  return 2;
}

/** `field-sandbox run`: starts a sandbox, runs a command against it, judges what came of it. */
import { constants } from 'node:fs';
import { access, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { styleText } from 'node:util';
import { createWallClock, toTimestamp, type WallClock } from '../base/time.ts';
import { parseKey } from '../contract/keys.ts';
import { OperatorError } from '../operator-files.ts';
import { type Options, runIgnores, runUsuals } from '../option-table.ts';
import { extendEnvironment, type OptionTexts, parseOptions, readEnvironment } from '../options.ts';
import { type Sandbox, startSandbox } from '../sandbox.ts';
import { createEvidence } from '../verdict/evidence.ts';
import { settle } from '../verdict/settle.ts';
import { runChild } from './child.ts';
import { printable, tellOfRequests } from './log.ts';
import { showProgress } from './progress.ts';
import { type Run, toExitCode, toReport } from './report.ts';

/** How long what is still open may take to end, once the report is written. */
const graceMs = 1000;

const complain = (text: string): void => void process.stderr.write(text);

/** What `run` was asked for. */
export interface RunRequest {
  readonly given: OptionTexts;
  /** Where the report goes as JUnit XML. */
  readonly junit: string | undefined;
  /** The command and its arguments; undefined where no `--` stood before it. */
  readonly command: readonly string[] | undefined;
}

/** @returns the exit code: the command's where it is not 0, else 1 where anything was not as expected; 2 for bad options */
export async function runRun({ given, junit, command = [] }: RunRequest): Promise<number> {
  if (command.length === 0)
    return fail(['expected a command after --, such as: field-sandbox run --scenario outage -- npm test']);
  const parsed = parseOptions(...toOwnDefaults(given, readEnvironment()));
  if (!parsed.ok) return fail(parsed.mistakes);
  for (const remark of parsed.remarks) complain(`note: ${remark}\n`);
  const unwritable = junit === undefined ? undefined : await checkWritable(junit);
  if (unwritable) return fail([`--junit: ${unwritable}`]);
  const wall = createWallClock();
  const bugs: string[] = [];
  try {
    const sandbox = await startSandbox(parsed.options, toNotices(bugs), wall);
    const run = await runIn(sandbox, parsed.options, command, bugs, wall);
    const code = typeof run === 'number' ? run : await tell(run, parsed.options, junit);
    await Promise.race([sandbox.close(), new Promise<void>((over) => wall.after(graceMs, over))]);
    return code;
  } catch (error) {
    if (error instanceof OperatorError) return fail(error.mistakes);
    const { code, message } = error as NodeJS.ErrnoException;
    if (code?.startsWith('E')) return fail([`--host, --port: ${message}`]);
    throw error;
  }
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
      complain(`bug ${id}: ${error instanceof Error ? error.stack : String(error)}\n`);
    },
    remark: (text) => complain(`${text}\n`),
  };
}

/** What the run came to, or the code where the command could not be run. */
async function runIn(
  { url, journal, worlds }: Sandbox,
  options: Options,
  command: readonly string[],
  bugs: string[],
  wall: WallClock,
): Promise<Run | number> {
  const evidence = createEvidence({ worlds, journal });
  const form = options.log !== 'auto' ? options.log : process.stderr.isTTY ? 'pretty' : 'json';
  await tellOfRequests(journal, form, complain);
  const shown = toShown(command, options);
  const startedMs = wall.elapsed();
  complain(`field-sandbox on ${url}, seed ${options.seed}: ${shown}\n`);
  const hide = showProgress(process.stderr, wall, () => {
    const { requests, callbacks } = evidence.progress();
    return `field-sandbox: ${requests} requests, ${callbacks} callbacks, ${toSeconds(wall.elapsed() - startedMs)}`;
  });
  try {
    const key = parseKey(options.apiKeys[0] ?? '');
    const variables = { SANDBOX_URL: url, SANDBOX_API_KEY: typeof key === 'string' ? '' : key.key };
    const ended = await runChild(command, extendEnvironment(variables), wall, ownsTerminal());
    if ('mistake' in ended) {
      complain(`${ended.mistake}\n`);
      return ended.code;
    }
    await settle(worlds).catch((error: unknown) => toNotices(bugs).bug('settling', error));
    return { command: shown, ...ended, verdict: evidence.conclude(), bugs };
  } finally {
    hide();
  }
}

function ownsTerminal(): boolean {
  return [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
}

/** Prints and writes the report. @returns the exit code */
async function tell(run: Run, options: Options, junit: string | undefined): Promise<number> {
  complain(`field-sandbox: the command ended with ${run.code} after ${toSeconds(run.ms)}\n`);
  const report = toReport(run, (colour, text) => styleText(colour, text, { stream: process.stdout }));
  await new Promise<void>((written) => process.stdout.write(hideSecrets(report, options), () => written()));
  const code = toExitCode(run);
  if (junit === undefined) return code;
  try {
    const { toJunit } = await import('./junit.ts');
    await writeFile(junit, toJunit(run, toProperties(options)));
    return code;
  } catch (error) {
    complain(`--junit: ${junit}: can't be written (${(error as NodeJS.ErrnoException).code ?? String(error)})\n`);
    return code === 0 ? 1 : code;
  }
}

/** The options that make a run what it is, without addresses and secrets. */
function toProperties({
  seed,
  clock,
  strict,
  magicIds,
  scenarios,
  profile,
}: Options): Readonly<Record<string, string>> {
  return {
    seed,
    clock: clock.nowMs === undefined ? clock.mode : toTimestamp(clock.nowMs),
    strict: String(strict),
    magicIds: String(magicIds),
    ...(scenarios.length > 0 && { scenarios: scenarios.join(' ') }),
    ...(profile !== undefined && { profile }),
  };
}

/** Why a file can't be written, or undefined where it can. */
async function checkWritable(file: string): Promise<string | undefined> {
  const folder = path.dirname(path.resolve(file));
  const found = await stat(file).catch(() => undefined);
  if (found?.isDirectory()) return `${file} is a folder`;
  try {
    await access(found ? file : folder, constants.W_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? `there is no folder ${folder}` : `${file} can't be written (${code})`;
  }
}

/** Shorter keys would be found everywhere, and hide nothing. */
const shortestSecret = 4;

function hideSecrets(text: string, { apiKeys, adminToken, callbackSecret }: Options): string {
  const keys = apiKeys.map(parseKey).map((parsed) => (typeof parsed === 'string' ? '' : parsed.key));
  return [...keys, adminToken ?? '', callbackSecret]
    .filter(({ length }) => length >= shortestSecret)
    .reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
}

/** A command may hold a whole program: its beginning tells which it is. */
const longestCommand = 120;

/** A command on one line, without the secrets of the options. */
function toShown(command: readonly string[], options: Options): string {
  const text = printable(hideSecrets(command.map(toWord).join(' '), options)).replace(/ {2,}/g, ' ');
  return text.length > longestCommand ? `${text.slice(0, longestCommand)}…` : text;
}

/** An argument as it could be typed. */
function toWord(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}

function toSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function fail(mistakes: readonly string[]): number {
  for (const mistake of mistakes) complain(`${mistake}\n`);
  return 2;
}

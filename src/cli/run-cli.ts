/** Parses a command line and runs the command. */
import { Command, CommanderError, Option } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { type OptionRow, optionTable, runDefaults, runIgnores } from '../config/option-table.ts';
import type { OptionTexts } from '../config/options.ts';
import { didYouMean } from '../lib/nearest.ts';
import type { CalibrateOptions } from './calibrate/command.ts';
import type { CoverageInput } from './coverage/command.ts';
import type { ListenTexts } from './listen/command.ts';
import { type Io, printTo } from './output/io.ts';
import type { ReplayRequest } from './replay/command.ts';
import type { RunRequest } from './run/command.ts';
import type { SampleInput } from './sample.ts';
import type { SweepTexts } from './sweep/sweep-options.ts';

const listenNote = `
Each attempt that the sandbox makes, or stores in its inbox, is forwarded once, with the same bytes and signature.
The response of your receiver is shown here and not sent back: the sandbox has recorded its own attempt, and does not
retry. Earlier attempts are not forwarded. Attempts made while the connection is lost are forwarded after a reconnect.`;

/** Line width without a terminal, in characters. */
const defaultWidth = 120;

const toWidth = ({ stdout }: Io): number => stdout.columns ?? defaultWidth;

/** Collects the values of a repeatable option. */
const collect = (value: string, previous: readonly string[] = []): readonly string[] => [...previous, value];

/** Streams of the commands, and what takes their exit code. */
interface Frame {
  readonly io: Io;
  /** Whether help shows all options. */
  readonly showsAll: boolean;
  print(text: string): void;
  printError(text: string): void;
  /** Sets the exit code; undefined while the command is still running. */
  finish(code: number | undefined): void;
}

/** Converts Commander's options to the option table's keys, without the options that were not given. */
function toTexts(values: Readonly<Record<string, unknown>>): OptionTexts {
  const given = Object.entries(toAttributes()).flatMap(([attribute, key]) => {
    const value = values[attribute];
    if (value === undefined || (key === 'magicIds' && value === true)) return [];
    return [[key, typeof value === 'boolean' ? String(value) : value] as const];
  });
  return Object.fromEntries(given) as OptionTexts;
}

/** Maps Commander's attribute names, which are made from the flags, to the option table's keys. */
function toAttributes(): Readonly<Record<string, keyof OptionTexts>> {
  const named = optionTable
    .filter(({ flag }) => flag !== '')
    .map(({ flag, key }) => [
      flag
        .replace(/^--(no-)?/, '')
        .replace(/ .*/, '')
        .replace(/-(\w)/g, (_all, character: string) => character.toUpperCase()),
      key,
    ]);
  return Object.fromEntries(named) as Readonly<Record<string, keyof OptionTexts>>;
}

/** Options that few need: help shows them with `--all` only. */
const rare: readonly (keyof OptionTexts)[] = [
  ...(['host', 'tls', 'tlsPort', 'tlsNames', 'tlsCert', 'tlsKey', 'mapTiles', 'callbackAllow'] as const),
  ...(['data', 'postgres', 'clusterHost', 'clusterPort', 'lease', 'rolling', 'memory'] as const),
];

function addOptions(command: Command, rows: readonly OptionRow[], { showsAll }: Pick<Frame, 'showsAll'>): void {
  for (const { key, flag, help, env, defaultText, repeatable } of rows) {
    if (flag === '') continue;
    const text = `${help}${env === '' ? '' : ` [${env}]`}${defaultText === '' || flag.startsWith('--no-') ? '' : ` (default: ${defaultText})`}`;
    const option = new Option(flag, text).hideHelp(rare.includes(key) && !showsAll);
    if (repeatable) option.argParser((value: string, previous: string[] = []) => [...previous, value]);
    command.addOption(option);
  }
  if (!showsAll && rows.some(({ key }) => rare.includes(key)))
    command.addHelpText(
      'after',
      `\nTLS, replicas, storage and addresses: field-sandbox ${command.name()} --help --all`,
    );
}

function addStart(program: Command, frame: Frame): void {
  const { io, printError, finish } = frame;
  const start = program.command('start', { isDefault: true }).description('start the sandbox (the default command)');
  addOptions(start, optionTable, frame);
  const hidden = optionTable.filter(({ flag }) => flag === '').map(({ env, help }) => `  ${env}  ${help}`);
  const environment = `\nEnvironment variables without an option:\n${hidden.join('\n')}\n\nSeparate the values of a list in the environment by white space.`;
  start.addHelpText('after', environment);
  // An unknown command gets here too, because `start` is the default command.
  start.allowExcessArguments();
  start.action(async (values: Record<string, unknown>) => {
    const [unknown] = start.args;
    if (unknown === undefined) return finish(await (await import('./start.ts')).runStart(toTexts(values), io));
    const isCommand = program.commands.some((command) => command.name() === unknown);
    printError(
      isCommand ? `put the command before its options: field-sandbox ${unknown} …\n` : toUnknown(program, unknown),
    );
    finish(2);
  });
}

function toUnknown(program: Command, name: string): string {
  const commands = program.commands.map((command) => command.name());
  return `unknown command "${name}"${didYouMean(name, commands)}; the commands are ${commands.join(', ')}\n`;
}

function addHelp(program: Command, { printError, finish }: Frame): void {
  program
    .command('help')
    .description('show the options of a command')
    .argument('[command]', 'name of the command')
    .action((name?: string) => {
      const command = name === undefined ? program : program.commands.find((one) => one.name() === name);
      if (command) command.outputHelp();
      else printError(toUnknown(program, String(name)));
      finish(command ? 0 : 2);
    });
}

function addCheck(program: Command, { print, finish }: Frame): void {
  program
    .command('check')
    .description('report the mistakes in scenarios, profiles and overlays')
    .argument('<file...>', 'scenario, profile and overlay files')
    .action(async (files: string[]) => finish(await (await import('./check.ts')).runCheck(files, print)));
}

function addReplay(program: Command, { io, print, printError, finish }: Frame): void {
  type Given = Omit<ReplayRequest, 'files' | 'scenarios'> & { scenario?: readonly string[] };
  program
    .command('replay')
    .description('replay recordings, and print every difference')
    .argument('<file...>', 'recordings, and folders with recordings')
    .option('--junit <file>', 'also write the results as JUnit XML')
    .option('--profile <file>', 'replay under this profile, and print what it changes')
    .option('--scenario <name|file>', 'replay under this scenario, and print what it changes; repeatable', collect)
    .action(async (files: string[], { scenario, ...given }: Given) => {
      const { runReplay } = await import('./replay/command.ts');
      // The line moves the cursor, and has numbers only.
      const showLine = io.stderr.isTTY ? (text: string) => void io.stderr.write(text) : undefined;
      finish(await runReplay({ ...given, files, scenarios: scenario }, { print, printError, showLine }));
    });
}

function addDiff(program: Command, { print, printError, finish }: Frame): void {
  program
    .command('diff')
    .description('compare two recordings by meaning')
    .argument('<one>', 'recording')
    .argument('<other>', 'recording')
    .action(async (one: string, other: string) => {
      const { runDiff } = await import('./diff/command.ts');
      finish(await runDiff([one, other], print, printError));
    });
}

/** Options of `run`: its address comes from the command line only; existing data and the demo would change results. */
const runTable = optionTable
  .filter(({ key }) => key !== 'json' && key !== 'demo' && key !== 'data')
  .map((row) => ({
    ...row,
    defaultText: runDefaults[row.key] ?? row.defaultText,
    env: runIgnores.includes(row.env) ? '' : row.env,
  }));

function addRun(program: Command, childCommand: readonly string[] | undefined, frame: Frame): void {
  const { io, printError, finish } = frame;
  const run = program
    .command('run')
    .usage('[options] -- COMMAND ARGUMENTS…')
    .description('run a command against a sandbox of its own, with a verdict')
    .option('--junit <file>', 'also write the report as JUnit XML')
    .option('--coverage <file>', 'write the coverage report as Markdown')
    .option('--min-coverage <percent>', 'fail if the coverage is lower')
    .option('--record <dir>', 'write a recording of each project, and of each of its lives that a reset ended')
    .option('--record-on-failure', 'with --record: write them only if the run fails')
    // The command after -- is already split off. Other arguments get an error that names the missing --.
    .allowExcessArguments()
    .showHelpAfterError('(put the command to run after --)');
  addOptions(run, runTable, frame);
  type Own = 'junit' | 'coverage' | 'minCoverage' | 'record' | 'recordOnFailure';
  type Given = Partial<Pick<RunRequest, Own>> & Record<string, unknown>;
  run.action(async ({ junit, coverage, minCoverage, record, recordOnFailure, ...values }: Given) => {
    const [unexpected] = run.args;
    if (unexpected !== undefined && childCommand !== undefined) {
      printError(`unexpected argument "${unexpected}": activate a scenario with --scenario ${unexpected}\n`);
      return finish(2);
    }
    const { runRun } = await import('./run/command.ts');
    const own = { junit, coverage, minCoverage, record, recordOnFailure };
    finish(await runRun({ ...own, given: toTexts(values), command: childCommand }, io));
  });
}

/** Options of `sweep` itself, and those of `run`. */
function addSweep(program: Command, childCommand: readonly string[] | undefined, frame: Frame): void {
  const { io, printError, finish } = frame;
  const sweep = program
    .command('sweep')
    .usage('[options] -- COMMAND ARGUMENTS…')
    .description('find the failures that a command does not survive')
    .option('--operation <globs>', 'only failures of these operations, such as async*,submitLocation', collect)
    .option('--kind <globs>', 'only these kinds of failure, such as status-5*,connection-*', collect)
    .option(
      '--occurrences <which>',
      'which requests of an operation fail: first, each, or up to a number (default: first)',
    )
    .option('--jobs <number>', 'number of commands that run at a time (default: processor cores - 1, at least 1)')
    .option('--budget <duration>', 'begin no further case after this time, such as 10m')
    .option('--timeout <duration>', 'time limit of one run (default: 10s, or 5 times the baseline if that is longer)')
    .option('--known <file>', 'accepted weaknesses: fail only if there are others')
    .option('--update-known', 'write the weaknesses that were found to the file of --known')
    .option('--out <dir>', 'folder for the scenario, recordings and output of each bad case (default: sweep)')
    .option('--json <file>', 'write the report as JSON')
    .option('--junit <file>', 'write the report as JUnit XML')
    .option('--markdown <file>', 'write the report as Markdown, such as "$GITHUB_STEP_SUMMARY"')
    .allowExcessArguments()
    .showHelpAfterError('(put the command to run after --)');
  addOptions(sweep, runTable, frame);
  sweep.action(async ({ json, ...values }: SweepTexts & Record<string, unknown>) => {
    const [unexpected] = sweep.args;
    if (unexpected !== undefined && childCommand !== undefined) {
      printError(`unexpected argument "${unexpected}": select operations with --operation, and kinds with --kind\n`);
      return finish(2);
    }
    const { runSweep } = await import('./sweep/command.ts');
    const texts = { ...values, json };
    finish(await runSweep({ given: toTexts(values), texts, command: childCommand, width: toWidth(io), io }));
  });
}

/** Options of `shrink` itself, and those of `run`. */
function addShrink(program: Command, childCommand: readonly string[] | undefined, frame: Frame): void {
  const { io, printError, finish } = frame;
  const shrink = program
    .command('shrink')
    .usage('[options] --scenario FILE… -- COMMAND ARGUMENTS…')
    .description('find the smallest scenario with which a command fails')
    .option('--out <file>', 'file for the scenario that was found (default: shrunk.yaml)')
    .option('--budget <duration>', 'begin no further run after this time, such as 10m')
    .allowExcessArguments()
    .showHelpAfterError('(put the command to run after --)');
  addOptions(shrink, runTable, frame);
  type Given = { out?: string; budget?: string } & Record<string, unknown>;
  shrink.action(async ({ out = 'shrunk.yaml', budget, ...values }: Given) => {
    const [unexpected] = shrink.args;
    if (unexpected !== undefined && childCommand !== undefined) {
      printError(`unexpected argument "${unexpected}": name the scenario with --scenario ${unexpected}\n`);
      return finish(2);
    }
    const { runShrink } = await import('./shrink/command.ts');
    finish(await runShrink({ given: toTexts(values), out, budget, command: childCommand, io }));
  });
}

function addVerifyReceiver(program: Command, frame: Frame): void {
  const { io, finish } = frame;
  const verify = program
    .command('verify-receiver')
    .description('check a callback receiver, and explain each failure')
    .argument('<url>', 'URL of the receiver, such as http://localhost:9000/callbacks')
    .option('--junit <file>', 'also write the report as JUnit XML');
  addOptions(
    verify,
    optionTable.filter(({ key }) => key === 'callbackSecret' || key === 'profile'),
    frame,
  );
  verify.action(async (url: string, { junit, ...values }: { junit?: string } & Record<string, unknown>) => {
    const { runVerifyReceiver } = await import('./verify-receiver/command.ts');
    finish(await runVerifyReceiver({ url, given: toTexts(values), junit }, io));
  });
}

function addListen(program: Command, { io, finish }: Frame): void {
  program
    .command('listen')
    .description('forward callbacks to a receiver on this machine')
    .option('--forward-to <url>', 'URL of your receiver; without it, callbacks are only shown')
    .option('--url <url>', 'URL of the sandbox [SANDBOX_URL] (default: http://127.0.0.1:4600)')
    .option('--project <id>', 'only the callbacks of this project')
    .option('--admin-token <token>', 'admin token of the sandbox [SANDBOX_ADMIN_TOKEN]')
    .option('--api-key <key>', 'API key of your projects, in place of the admin token [SANDBOX_API_KEY]')
    .option('--print-secret', 'print the published default secret of callbacks, and exit')
    .addHelpText('after', listenNote)
    .action(async (texts: ListenTexts) => {
      const { runListen } = await import('./listen/command.ts');
      finish(await runListen(texts, io));
    });
}

function addSample(program: Command, { io, printError, finish }: Frame): void {
  program
    .command('sample')
    .description('print a realistic body for an operation')
    .argument('<operation>', 'operationId, such as asyncImportJobs')
    .option('--count <number>', 'number of entries (default: 1)')
    .option('--seed <text>', 'the same seed gives the same body (default: sandbox)')
    .option('--locale <name>', 'faker locale of names and addresses, such as de or pt_BR (default: en_AU)')
    .option('--near <lat,lon>', 'place all positions within 20 km of this one, such as 52.52,13.40')
    .option('--type <type>', 'type of the user of registerUser, driver or attendant (default: depends on the seed)')
    .option('--profile <file>', 'fit the body to this profile, and add the identifiers that it places in the body')
    .option('--project <id>', 'project, if the profile places it in the body')
    .action(async (operation: string, given: Omit<SampleInput, 'operation'>) => {
      const { runSample } = await import('./sample.ts');
      finish(await runSample({ ...given, operation }, io.stdout, printError));
    });
}

function addCoverage(program: Command, { io, print, printError, finish }: Frame): void {
  program
    .command('coverage')
    .description('report the operations and failures that clients have met')
    .option('--url <url>', 'URL of the sandbox [SANDBOX_URL] (default: http://127.0.0.1:4600)')
    .option('--sweep <file>', 'count what this sweep met; needs no sandbox, or adds to the one at --url')
    .option('--profile <file>', 'profile of the sweep; without it, the shipped one')
    .option('--project <id>', 'only this project')
    .option('--operation <globs>', 'only these operations, such as async*,submitLocation')
    .option('--min <percent>', 'exit with 1 if the coverage is lower')
    .option('--markdown <file>', 'also write the report as Markdown')
    .option('--admin-token <token>', 'admin token of the sandbox [SANDBOX_ADMIN_TOKEN]')
    .option('--api-key <key>', 'API key of your projects, in place of the admin token [SANDBOX_API_KEY]')
    .action(async (values: CoverageInput) => {
      const { runCoverage } = await import('./coverage/command.ts');
      finish(await runCoverage(values, { print, printError, width: toWidth(io), env: io.env }));
    });
}

function addCalibrate(program: Command, { io, finish }: Frame): void {
  program
    .command('calibrate')
    .description('compare recorded traffic with the sandbox: a profile')
    .argument('<traffic...>', 'HTTP archives (HAR)')
    .option('--profile <file>', 'profile to compare with; without it, the shipped one')
    .option('--write <file>', 'write the profile with all proposals')
    .option('--overlay <file>', 'write the proposed changes of the document as an OpenAPI Overlay')
    .option('--map <mapping>', "operation of requests, as 'METHOD PATH=OPERATION'", collect)
    .option('--json <file>', 'write the report as JSON')
    .option('--markdown <file>', 'write the report as Markdown')
    .action(async (files: string[], options: CalibrateOptions) => {
      const { runCalibrate } = await import('./calibrate/command.ts');
      finish(await runCalibrate(files, options, io));
    });
}

function addHealth(program: Command, { io, finish }: Frame): void {
  program
    .command('health')
    .description('check whether the sandbox on this machine is ready')
    .option('--port <number>', 'port of the sandbox [SANDBOX_PORT] (default: 4600)')
    .option('--host <name>', 'address of the sandbox [SANDBOX_HOST] (default: 127.0.0.1)')
    .action(async (values: OptionTexts) => finish(await (await import('./health.ts')).runHealth(values, io)));
}

/**
 * Ignores a closed output: a reader such as `head` may close the pipe early. Any other write error makes the exit code
 * nonzero.
 */
function ignoreClosedOutput({ io, printError }: Frame): void {
  let hasFailed = false;
  for (const stream of [io.stdout, io.stderr])
    stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      if (code === 'EPIPE' || code === 'EIO') return;
      if (hasFailed) return;
      hasFailed = true;
      printError(`cannot write: ${message}\n`);
      // A write may fail after the command has ended.
      process.on('exit', () => {
        process.exitCode ||= 1;
      });
    });
}

const examples = `
Examples:
  field-sandbox --clock frozen               start, with clocks that tests advance
  field-sandbox run -- npm test              run tests against a sandbox of their own
  field-sandbox sweep -- npm test            run them under every failure

Options of a command: field-sandbox COMMAND --help`;

function createProgram(childCommand: readonly string[] | undefined, frame: Frame): Command {
  const program = new Command('field-sandbox')
    .description(
      'A sandbox for the field-service API: simulates every operation, explains every mistake, produces every failure.',
    )
    .version(manifest.version, '-v, --version', 'print the version')
    .helpCommand(false)
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .addHelpText('after', examples)
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: frame.print,
      writeErr: frame.printError,
      getOutHelpWidth: () => frame.io.stdout.columns ?? 80,
      getErrHelpWidth: () => frame.io.stderr.columns ?? 80,
    })
    // The server drops log lines that can't be written, and continues: see output/log-sink.ts.
    .hook('preAction', (_program, command) => {
      if (command.name() !== 'start') ignoreClosedOutput(frame);
    })
    // Help replaces the command, so preAction does not run. This adds no text.
    .addHelpText('beforeAll', () => {
      ignoreClosedOutput(frame);
      return '';
    });
  program.commandsGroup('Start:');
  addStart(program, frame);
  addRun(program, childCommand, frame);
  addCheck(program, frame);
  program.commandsGroup('Find weaknesses:');
  addSweep(program, childCommand, frame);
  addShrink(program, childCommand, frame);
  addCoverage(program, frame);
  program.commandsGroup('Callbacks:');
  addListen(program, frame);
  addVerifyReceiver(program, frame);
  program.commandsGroup('Look:');
  addReplay(program, frame);
  addDiff(program, frame);
  addSample(program, frame);
  addHealth(program, frame);
  addHelp(program, frame);
  program.commandsGroup('Real API:');
  addCalibrate(program, frame);
  return program;
}

/** Commands that run another command, which follows `--`. */
const runners = ['run', 'sweep', 'shrink'];

/** Returns whether a command line runs another command. */
export function isRunner([name = '']: readonly string[]): boolean {
  return runners.includes(name);
}

/** Splits off the command after `--`, which Commander must not parse. */
function splitCommandLine(argv: readonly string[]): readonly [readonly string[], readonly string[] | undefined] {
  const at = isRunner(argv) ? argv.indexOf('--') : -1;
  return at < 0 ? [argv, undefined] : [argv.slice(0, at), argv.slice(at + 1)];
}

/** Many programs print their version with `-V`. */
const toLowerFlag = (word: string, index: number): string => (index === 0 && word === '-V' ? '-v' : word);

/** Runs a command line, without the name of the program. @returns the exit code; undefined while `start` is running */
export async function runCli(argv: readonly string[], io: Io): Promise<number | undefined> {
  let code: number | undefined;
  const finish = (ended: number | undefined): void => {
    code = ended;
  };
  const [given, childCommand] = splitCommandLine(argv);
  const asksForHelp = given.some((word) => word === '--help' || word === '-h' || word === 'help');
  const showsAll = asksForHelp && given.includes('--all');
  const ownArguments = given.filter((word) => !(showsAll && word === '--all')).map(toLowerFlag);
  const program = createProgram(childCommand, {
    io,
    showsAll,
    print: printTo(io.stdout),
    printError: printTo(io.stderr),
    finish,
  });
  try {
    await program.parseAsync(ownArguments, { from: 'user' });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : 2;
  }
}

/** Entry point of the process: parses the command line and runs the command. */
import { Command, CommanderError } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { type OptionRow, optionTable, runDefaults, runIgnores } from '../config/option-table.ts';
import type { OptionTexts } from '../config/options.ts';
import { didYouMean } from '../lib/nearest.ts';
import { codeCache } from './code-cache.ts';
import type { CoverageInput } from './coverage/command.ts';
import type { ListenTexts } from './listen/options.ts';
import type { SampleInput } from './sample.ts';

const listenNote = `
Each attempt that the sandbox makes, or lays into its inbox, is forwarded once: the same bytes, the same signature.
What your receiver answers is shown here and does not go back. The sandbox has noted its own attempt, so nothing is tried
again. Attempts of before are not forwarded; those made while the connection was lost are, later.`;

const print = (text: string): void => void process.stdout.write(text);
const printError = (text: string): void => void process.stderr.write(text);

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
    .filter(({ onlyEnv }) => !onlyEnv)
    .map(({ flag, key }) => [
      flag
        .replace(/^--(no-)?/, '')
        .replace(/ .*/, '')
        .replace(/-(\w)/g, (_all, character: string) => character.toUpperCase()),
      key,
    ]);
  return Object.fromEntries(named) as Readonly<Record<string, keyof OptionTexts>>;
}

function addOptions(command: Command, rows: readonly OptionRow[]): void {
  for (const { flag, help, env, defaultText, repeatable, onlyEnv } of rows) {
    if (onlyEnv) continue;
    const text = `${help}${env === '' ? '' : ` [${env}]`}${defaultText === '' || flag.startsWith('--no-') ? '' : ` (default: ${defaultText})`}`;
    if (repeatable) command.option(flag, text, (value: string, previous: string[] = []) => [...previous, value]);
    else command.option(flag, text);
  }
}

/** Options of `run`: its address comes from the command line only; existing data and the demo would change results. */
const runTable = optionTable
  .filter(({ key }) => key !== 'json' && key !== 'demo' && key !== 'data')
  .map((row) => ({
    ...row,
    defaultText: runDefaults[row.key] ?? row.defaultText,
    env: runIgnores.includes(row.env) ? '' : row.env,
  }));

function addRun(program: Command, childCommand: readonly string[] | undefined, finish: (code: number) => void): void {
  const run = program
    .command('run')
    .usage('[options] -- COMMAND ARGUMENTS…')
    .description('run a command against its own sandbox and report the result')
    .option('--junit <file>', 'write the report as JUnit XML, too')
    .option('--coverage <file>', 'write what the client has met as Markdown')
    .option('--min-coverage <percent>', 'fail where it has met less')
    // The command after -- is already split off. Other arguments get an error that names the missing --.
    .allowExcessArguments()
    .showHelpAfterError('(the command to run comes after --)');
  addOptions(run, runTable);
  type Given = { junit?: string; coverage?: string; minCoverage?: string } & Record<string, unknown>;
  run.action(async ({ junit, coverage, minCoverage, ...values }: Given) => {
    const { runRun } = await import('./run/command.ts');
    finish(await runRun({ given: toTexts(values), junit, coverage, minCoverage, command: childCommand }));
    // Processes that the command left behind may keep connections open.
    process.exit();
  });
}

function addVerifyReceiver(program: Command, finish: (code: number) => void): void {
  const verify = program
    .command('verify-receiver')
    .description('play the contract of callbacks against your own receiver of them, and say how to mend what fails')
    .argument('<url>', 'where it takes callbacks, such as http://localhost:9000/callbacks')
    .option('--junit <file>', 'write the report as JUnit XML, too');
  addOptions(
    verify,
    optionTable.filter(({ key }) => key === 'callbackSecret'),
  );
  verify.action(async (url: string, { junit, ...values }: { junit?: string } & Record<string, unknown>) => {
    const { runVerifyReceiver } = await import('./verify-receiver/command.ts');
    finish(await runVerifyReceiver({ url, given: toTexts(values), junit }, print, printError));
  });
}

function addListen(program: Command, finish: (code: number) => void): void {
  program
    .command('listen')
    .description('follow a sandbox that runs elsewhere, and forward its callbacks to a receiver on this machine')
    .option('--forward-to <url>', 'your receiver; without it, callbacks are only shown')
    .option('--url <url>', 'the sandbox [SANDBOX_URL] (default: http://127.0.0.1:4600)')
    .option('--project <id>', 'only the callbacks of this project')
    .option('--admin-token <token>', 'where the sandbox asks for one [SANDBOX_ADMIN_TOKEN]')
    .option('--print-secret', 'print the published default secret of callbacks and exit')
    .addHelpText('after', listenNote)
    .action(async (texts: ListenTexts) => {
      const { runListen } = await import('./listen/command.ts');
      finish(await runListen(texts, { print, printError, isTerminal: process.stdout.isTTY }));
    });
}

/** Line width without a terminal, in characters. */
const defaultWidth = 120;

function addCoverage(program: Command, finish: (code: number) => void): void {
  program
    .command('coverage')
    .description('say what the clients of a sandbox that runs have met of the API and its failures')
    .option('--url <url>', 'its address [SANDBOX_URL] (default: http://127.0.0.1:4600)')
    .option('--project <id>', 'of this project alone')
    .option('--operation <globs>', 'of these operations alone, such as async*,submitLocation')
    .option('--min <percent>', 'exit with 1 where less was met')
    .option('--markdown <file>', 'write it as Markdown, too')
    .option('--admin-token <token>', 'the token of its control API [SANDBOX_ADMIN_TOKEN]')
    .action(async (values: CoverageInput) => {
      const { runCoverage } = await import('./coverage/command.ts');
      const width = process.stdout.columns ?? defaultWidth;
      finish(await runCoverage(values, { print, printError, width }));
    });
}

/**
 * Ignores a closed output: a reader such as `head` may close the pipe early. Any other write error makes the exit code
 * nonzero.
 */
function ignoreClosedOutput(): void {
  let hasFailed = false;
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      if (code === 'EPIPE' || code === 'EIO') return;
      if (!hasFailed) printError(`can't write: ${message}\n`);
      hasFailed = true;
    });
  process.on('exit', () => {
    if (hasFailed) process.exitCode ||= 1;
  });
}

function createProgram(
  childCommand: readonly string[] | undefined,
  finish: (code: number | undefined) => void,
): Command {
  const program = new Command('field-sandbox')
    .description(
      'A sandbox of the field-service API: plays every operation, explains every mistake, produces every failure.',
    )
    .version(manifest.version, '-v, --version', 'print its version')
    .showSuggestionAfterError()
    .exitOverride()
    // The server drops log lines that can't be written, and continues: see cli/log-sink.ts.
    .hook('preAction', (_program, command) => {
      if (command.name() !== 'start') ignoreClosedOutput();
    })
    // Help replaces the command, so preAction does not run. This adds no text.
    .addHelpText('beforeAll', () => {
      ignoreClosedOutput();
      return '';
    });
  const start = program
    .command('start', { isDefault: true })
    .description('start the sandbox (this is what happens without a command)');
  addOptions(start, optionTable);
  const hidden = optionTable.filter(({ onlyEnv }) => onlyEnv).map(({ env, help }) => `  ${env}  ${help}`);
  const environment = `\nOnly in the environment:\n${hidden.join('\n')}\n\nLists in the environment are separated by white space.`;
  start.addHelpText('after', environment);
  program.addHelpText('after', () => `\n${start.helpInformation()}${environment}`);
  // An unknown command gets here too, because `start` is the default command.
  start.allowExcessArguments();
  start.action(async (values: Record<string, unknown>) => {
    const [unknown] = start.args;
    if (unknown === undefined) return finish(await (await import('./start.ts')).runStart(toTexts(values)));
    const commands = program.commands.map((command) => command.name());
    printError(
      commands.includes(unknown)
        ? `"${unknown}" comes before its options: field-sandbox ${unknown} …\n`
        : `unknown command "${unknown}"${didYouMean(unknown, commands)}; there are ${commands.join(', ')}\n`,
    );
    finish(2);
  });
  program
    .command('check')
    .description('say everything that is wrong with scenario and profile files')
    .argument('<file...>')
    .action(async (files: string[]) => finish(await (await import('./check.ts')).runCheck(files, print)));
  program
    .command('replay')
    .description('play a recording again and show the first difference')
    .argument('<file>', 'what GET /_sandbox/projects/ID/recording gave')
    .action(async (file: string) => {
      const { runReplay } = await import('./replay/command.ts');
      finish(await runReplay(file, print, printError, process.stderr.isTTY ? printError : undefined));
    });
  addRun(program, childCommand, finish);
  addVerifyReceiver(program, finish);
  program
    .command('sample')
    .description('print a valid, realistic body for an operation')
    .argument('<operation>', 'its operationId')
    .option('--count <number>', 'how many entries')
    .option('--seed <text>', 'the same seed gives the same body')
    .option('--locale <name>', "locale of names and addresses, one of faker's, such as de or pt_BR (default: en_AU)")
    .option('--near <lat,lon>', 'all positions within 20 km of this one, such as 52.52,13.40')
    .action(async (operation: string, given: Omit<SampleInput, 'operation'>) => {
      const { runSample } = await import('./sample.ts');
      finish(await runSample({ ...given, operation }, process.stdout, printError));
    });
  addListen(program, finish);
  addCoverage(program, finish);
  program
    .command('health')
    .description('ask the sandbox on this machine whether it is ready')
    .option('--port <number>', 'its port')
    .option('--host <name>', 'its address')
    .action(async (values: OptionTexts) => finish(await (await import('./health.ts')).runHealth(values, printError)));
  return program;
}

/** Splits off the command after `run --`, which Commander must not parse. */
function splitCommandLine(argv: readonly string[]): readonly [readonly string[], readonly string[] | undefined] {
  const at = argv[2] === 'run' ? argv.indexOf('--') : -1;
  return at < 0 ? [argv, undefined] : [argv.slice(0, at), argv.slice(at + 1)];
}

const [ownArguments, childCommand] = splitCommandLine(process.argv);
const program = createProgram(childCommand, (code) => {
  if (code !== undefined) process.exitCode = code;
});
process.on('exit', codeCache.keep);
program.parseAsync(ownArguments).catch((error: unknown) => {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : 2;
});

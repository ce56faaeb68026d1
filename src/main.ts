/** The edge of the process: reads the command line and runs what it asks for. */
import { Command, CommanderError } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { didYouMean } from './base/nearest.ts';
import type { CoverageInput } from './cli/coverage.ts';
import type { ListenTexts } from './cli/listen-options.ts';
import type { SampleInput } from './cli/sample.ts';
import { codeCache } from './code-cache.ts';
import { type OptionRow, optionTable, runIgnores, runUsuals } from './option-table.ts';
import type { OptionTexts } from './options.ts';

const listenNote = `
Each attempt that the sandbox makes, or lays into its inbox, is forwarded once: the same bytes, the same signature.
What your receiver answers is shown here and does not go back. The sandbox has noted its own attempt, so nothing is tried
again. Attempts of before are not forwarded; those made while the connection was lost are, later.`;

const print = (text: string): void => void process.stdout.write(text);
const complain = (text: string): void => void process.stderr.write(text);

/** Commander's options in the table's form: what was not given is left out. */
function toTexts(values: Readonly<Record<string, unknown>>): OptionTexts {
  const given = Object.entries(toAttributes()).flatMap(([attribute, key]) => {
    const value = values[attribute];
    if (value === undefined || (key === 'magicIds' && value === true)) return [];
    return [[key, typeof value === 'boolean' ? String(value) : value] as const];
  });
  return Object.fromEntries(given) as OptionTexts;
}

/** Commander names an option's value after its flag. */
function toAttributes(): Readonly<Record<string, keyof OptionTexts>> {
  const named = optionTable
    .filter(({ onlyEnv }) => !onlyEnv)
    .map(({ flag, key }) => [
      flag
        .replace(/^--(no-)?/, '')
        .replace(/ .*/, '')
        .replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase()),
      key,
    ]);
  return Object.fromEntries(named) as Readonly<Record<string, keyof OptionTexts>>;
}

function addOptions(command: Command, rows: readonly OptionRow[]): void {
  for (const { flag, help, env, usual, repeatable, onlyEnv } of rows) {
    if (onlyEnv) continue;
    const text = `${help}${env === '' ? '' : ` [${env}]`}${usual === '' || flag.startsWith('--no-') ? '' : ` (usually ${usual})`}`;
    if (repeatable) command.option(flag, text, (value: string, before: string[] = []) => [...before, value]);
    else command.option(flag, text);
  }
}

/** The options of `run`: its address comes from the command line alone, and what it judges is what the command did. */
const runTable = optionTable
  .filter(({ key }) => key !== 'json' && key !== 'demo' && key !== 'data')
  .map((row) => ({ ...row, usual: runUsuals[row.key] ?? row.usual, env: runIgnores.includes(row.env) ? '' : row.env }));

function addRun(program: Command, words: readonly string[] | undefined, finish: (code: number) => void): void {
  const run = program
    .command('run')
    .usage('[options] -- COMMAND ARGUMENTS…')
    .description('run a command against a sandbox of its own, and judge what came of it')
    .option('--junit <file>', 'write the report as JUnit XML, too')
    .option('--coverage <file>', 'write what the client has met as Markdown')
    .option('--min-coverage <percent>', 'fail where it has met less')
    // Those after -- are not here any more; others are told that it is missing.
    .allowExcessArguments()
    .showHelpAfterError('(the command to run comes after --)');
  addOptions(run, runTable);
  type Given = { junit?: string; coverage?: string; minCoverage?: string } & Record<string, unknown>;
  run.action(async ({ junit, coverage, minCoverage, ...values }: Given) => {
    const { runRun } = await import('./cli/run.ts');
    finish(await runRun({ given: toTexts(values), junit, coverage, minCoverage, command: words }));
    // Whoever the command has left behind may hold connections open.
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
    const { runVerifyReceiver } = await import('./cli/verify-receiver.ts');
    finish(await runVerifyReceiver({ url, given: toTexts(values), junit }, print, complain));
  });
}

function addListen(program: Command, finish: (code: number) => void): void {
  program
    .command('listen')
    .description('follow a sandbox that runs elsewhere, and forward its callbacks to a receiver on this machine')
    .option('--forward-to <url>', 'your receiver; without it, callbacks are only shown')
    .option('--url <url>', 'the sandbox [SANDBOX_URL] (usually http://127.0.0.1:4600)')
    .option('--project <id>', 'only the callbacks of this project')
    .option('--admin-token <token>', 'where the sandbox asks for one [SANDBOX_ADMIN_TOKEN]')
    .option('--print-secret', 'print the published secret that callbacks are usually signed with, and end')
    .addHelpText('after', listenNote)
    .action(async (texts: ListenTexts) => {
      const { runListen } = await import('./cli/listen.ts');
      finish(await runListen(texts, { print, complain, isTerminal: process.stdout.isTTY }));
    });
}

/** How long lines are where no terminal says. */
const usualWidth = 120;

function addCoverage(program: Command, finish: (code: number) => void): void {
  program
    .command('coverage')
    .description('say what the clients of a sandbox that runs have met of the API and its failures')
    .option('--url <url>', 'its address [SANDBOX_URL] (usually http://127.0.0.1:4600)')
    .option('--project <id>', 'of this project alone')
    .option('--operation <globs>', 'of these operations alone, such as async*,submitLocation')
    .option('--min <percent>', 'exit with 1 where less was met')
    .option('--markdown <file>', 'write it as Markdown, too')
    .option('--admin-token <token>', 'the token of its control API [SANDBOX_ADMIN_TOKEN]')
    .action(async (values: CoverageInput) => {
      const { runCoverage } = await import('./cli/coverage.ts');
      const width = process.stdout.columns ?? usualWidth;
      finish(await runCoverage(values, { print, complain, width }));
    });
}

/**
 * Whoever reads what a command says may leave before its end, as `head` does: that is no failure. What can't be written for
 * another cause is one.
 */
function outliveReaders(): void {
  let hasFailed = false;
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      if (code === 'EPIPE' || code === 'EIO') return;
      if (!hasFailed) complain(`can't write: ${message}\n`);
      hasFailed = true;
    });
  process.on('exit', () => {
    if (hasFailed) process.exitCode ||= 1;
  });
}

function createProgram(words: readonly string[] | undefined, finish: (code: number | undefined) => void): Command {
  const program = new Command('field-sandbox')
    .description(
      'A sandbox of the field-service API: plays every operation, explains every mistake, produces every failure.',
    )
    .version(manifest.version, '-v, --version', 'print its version')
    .showSuggestionAfterError()
    .exitOverride()
    // A server that nobody listens to any more was left behind by whoever started it, and is to end.
    .hook('preAction', (_program, command) => {
      if (command.name() !== 'start') outliveReaders();
    })
    // Help is shown in place of any command, and itself says nothing more here.
    .addHelpText('beforeAll', () => {
      outliveReaders();
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
  // A word that is no command comes here, since this one needs no name.
  start.allowExcessArguments();
  start.action(async (values: Record<string, unknown>) => {
    const [unknown] = start.args;
    if (unknown === undefined) return finish(await (await import('./cli/start.ts')).runStart(toTexts(values)));
    const commands = program.commands.map((command) => command.name());
    complain(
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
    .action(async (files: string[]) => finish(await (await import('./cli/check.ts')).runCheck(files, print)));
  program
    .command('replay')
    .description('play a recording again and show the first difference')
    .argument('<file>', 'what GET /_sandbox/projects/ID/recording gave')
    .action(async (file: string) => {
      const { runReplay } = await import('./cli/replay.ts');
      finish(await runReplay(file, print, complain, process.stderr.isTTY ? complain : undefined));
    });
  addRun(program, words, finish);
  addVerifyReceiver(program, finish);
  program
    .command('sample')
    .description('print a valid, realistic body for an operation')
    .argument('<operation>', 'its operationId')
    .option('--count <number>', 'how many entries')
    .option('--seed <text>', 'the same seed gives the same body')
    .option(
      '--locale <name>',
      "names and addresses as one of faker's locales has them, such as de or pt_BR (usually en_AU)",
    )
    .option('--near <lat,lon>', 'all positions within 20 km of this one, such as 52.52,13.40')
    .action(async (operation: string, given: Omit<SampleInput, 'operation'>) => {
      const { runSample } = await import('./cli/sample.ts');
      finish(await runSample({ ...given, operation }, process.stdout, complain));
    });
  addListen(program, finish);
  addCoverage(program, finish);
  program
    .command('health')
    .description('ask the sandbox on this machine whether it is ready')
    .option('--port <number>', 'its port')
    .option('--host <name>', 'its address')
    .action(async (values: OptionTexts) => finish(await (await import('./cli/health.ts')).runHealth(values, complain)));
  return program;
}

/** What follows `--` after `run` is another's command line: commander is not to look at it. */
function splitWords(words: readonly string[]): readonly [readonly string[], readonly string[] | undefined] {
  const at = words[2] === 'run' ? words.indexOf('--') : -1;
  return at < 0 ? [words, undefined] : [words.slice(0, at), words.slice(at + 1)];
}

const [own, words] = splitWords(process.argv);
const program = createProgram(words, (code) => {
  if (code !== undefined) process.exitCode = code;
});
process.on('exit', codeCache.keep);
program.parseAsync(own).catch((error: unknown) => {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : 2;
});

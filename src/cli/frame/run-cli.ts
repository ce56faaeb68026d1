/** Parses a command line and runs the command. */
import path from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import manifest from '../../../package.json' with { type: 'json' };
import { ConfigError } from '../../config/config-error.ts';
import { didYouMean } from '../../lib/nearest.ts';
import { commandGroups } from '../commands.ts';
import { printMistakes } from '../output/text.ts';
import type { CommandSpec } from './command.ts';
import { type Io, printTo } from './io.ts';
import { addSandboxOptions, collect, splitOptions } from './sandbox-options.ts';

/** A command line that is being run. */
interface Frame {
  readonly io: Io;
  /** Whether it asks for help. Commander suggests only options that help shows. */
  readonly isHelp: boolean;
  /** Whether help shows all options. */
  readonly showsAll: boolean;
  /** The words after `--`; undefined without `--`. */
  readonly childCommand: readonly string[] | undefined;
  /** Sets the exit code; undefined while the command is still running. */
  finish(code: number | undefined): void;
}

const allCommands = commandGroups.flatMap(({ commands }) => commands);
const isDefault = ({ name }: CommandSpec): boolean => name === 'start';

function addCommand(program: Command, spec: CommandSpec, frame: Frame): void {
  const { name, summary, args = [], options = [], sandboxOptions = [], runs, note, run } = spec;
  const { io, finish, childCommand, showsAll } = frame;
  const command = program.command(name, { isDefault: isDefault(spec) }).description(summary);
  for (const [syntax, help] of args) command.argument(syntax, help);
  for (const [flags, help, repeats] of options)
    repeats ? command.option(flags, help, collect) : command.option(flags, help);
  if (runs) {
    const required = runs.required === undefined ? '' : `${runs.required} `;
    command.usage(`[options] ${required}-- COMMAND ARGUMENTS…`).showHelpAfterError('(put the command to run after --)');
  }
  addSandboxOptions(command, sandboxOptions, showsAll);
  command.configureOutput({ outputError: (text, write) => write(explainFlag(text, command)) });
  if (note !== undefined) command.addHelpText('after', note);
  // The command after -- is already split off. An unknown command is an argument of `start`, the default command.
  if (runs || isDefault(spec)) command.allowExcessArguments();
  command.action(async () => {
    const missing = findMissingValues(command, spec);
    if (missing.length > 0) throw new ConfigError(missing);
    const [unexpected] = command.args;
    const problem = unexpected === undefined ? undefined : explainWord(unexpected, spec, childCommand);
    if (problem !== undefined) {
      printTo(io.stderr)(`${problem}\n`);
      return finish(2);
    }
    const mistakes = findSharedFiles(command, spec);
    if (mistakes.length > 0) throw new ConfigError(mistakes);
    const split = splitOptions(command.opts(), sandboxOptions);
    finish(await run({ ...split, args: command.processedArgs, command: childCommand }, io));
  });
}

/** Returns an error of Commander, which does not know an option without a value that is given one. */
function explainFlag(text: string, { options }: Command): string {
  const [, name, value] = /^error: unknown option '(--[\w-]+)=(.*)'$/m.exec(text) ?? [];
  if (!options.some(({ long }) => long === name)) return text;
  return `error: option '${name}' takes no value, got '${value}'; expected ${name} alone, or not at all\n`;
}

/** Returns the mistakes of arguments and options without a value: Commander takes the next option for it. */
function findMissingValues(command: Command, { options: rows = [] }: CommandSpec): readonly string[] {
  const names = command.registeredArguments.map((argument) => argument.name());
  const empty = command.args.flatMap((text, index) => (text === '' ? [names[index] ?? names.at(-1)] : []));
  const mistakes = empty.flatMap((name) => (name === undefined ? [] : [`${name}: expected a value, got none`]));
  for (const option of command.options) {
    const values: readonly unknown[] = [command.getOptionValue(option.attributeName())].flat();
    const taken = command.options.find(({ long }) => values.includes(long));
    if (taken !== undefined) mistakes.push(`${option.long}: expected a value, got the option ${taken.long}`);
    // The parser of the sandbox's options reports theirs.
    else if (values.includes('') && rows.some(([flags]) => flags === option.flags))
      mistakes.push(`${option.long}: expected a value, got none`);
  }
  return mistakes;
}

/** Returns the mistakes of own options with a file that is named twice: it would be lost. Only a profile may be read and written. */
function findSharedFiles(command: Command, { options: rows = [] }: CommandSpec): readonly string[] {
  const isOwn = ({ flags }: Option): boolean => flags.endsWith(' <file>') && rows.some(([own]) => own === flags);
  const users = new Map(command.args.map((file) => [path.resolve(file), 'an argument']));
  const options = command.options.filter(({ flags }) => flags.endsWith('file>'));
  const ordered = [...options.filter((option) => !isOwn(option)), ...options.filter(isOwn)];
  return ordered.flatMap((option) => {
    const values: readonly unknown[] = [command.getOptionValue(option.attributeName())].flat();
    return values.flatMap((file) => {
      if (typeof file !== 'string' || file === '' || file.startsWith('/dev/')) return [];
      if (option.flags.endsWith('<name|file>') && !/[./\\]/.test(file)) return [];
      const other = users.get(path.resolve(file));
      users.set(path.resolve(file), `the file of ${option.long}`);
      if (other === undefined || !isOwn(option) || (other === 'the file of --profile' && option.long === '--write'))
        return [];
      return [`${option.long}: ${file} is also ${other}; expected another file`];
    });
  });
}

/** Explains a word that a command does not take. */
function explainWord(word: string, spec: CommandSpec, child: Frame['childCommand']): string | undefined {
  if (spec.runs) return child && `unexpected argument "${word}": ${spec.runs.explain(word)}`;
  if (!isDefault(spec)) return undefined;
  const isCommand = allCommands.some(({ name }) => name === word);
  return isCommand ? `put the command before its options: field-sandbox ${word} …` : explainUnknown(word);
}

function explainUnknown(word: string): string {
  const names = [...allCommands.map(({ name }) => name), 'help'];
  return `unknown command "${word}"${didYouMean(word, names)}; the commands are ${names.join(', ')}`;
}

function addHelp(program: Command, { io, finish }: Frame): void {
  program
    .command('help', { hidden: true })
    .description('show the options of a command')
    .argument('[command]', 'name of the command')
    .action((name?: string) => {
      const command = name === undefined ? program : program.commands.find((one) => one.name() === name);
      if (command) command.outputHelp();
      else printTo(io.stderr)(`${explainUnknown(String(name))}\n`);
      finish(command ? 0 : 2);
    });
}

/**
 * Ignores a closed output: a reader such as `head` may close the pipe early. Any other write error makes the exit code
 * nonzero.
 */
function ignoreClosedOutput(io: Io): void {
  let hasFailed = false;
  for (const stream of [io.stdout, io.stderr])
    stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      if (code === 'EPIPE' || code === 'EIO') return;
      if (hasFailed) return;
      hasFailed = true;
      printTo(io.stderr)(`cannot write: ${message}\n`);
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

Options of a command: field-sandbox COMMAND --help
Version: field-sandbox --version`;

function createProgram(frame: Frame): Command {
  const { io } = frame;
  const program = new Command('field-sandbox')
    .description('A sandbox for the field-service API: explains mistakes, produces failures.')
    .version(manifest.version, '-v, --version', 'print the version')
    .helpCommand(false)
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .addHelpText('after', examples)
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: printTo(io.stdout),
      writeErr: printTo(io.stderr),
      getOutHelpWidth: () => io.stdout.columns ?? 80,
      getErrHelpWidth: () => io.stderr.columns ?? 80,
    })
    // The server drops log lines that can't be written, and continues: see output/log.ts.
    .hook('preAction', (_program, command) => {
      if (command.name() !== 'start') ignoreClosedOutput(io);
    })
    // Help replaces the command, so preAction does not run. This adds no text.
    .addHelpText('beforeAll', () => {
      ignoreClosedOutput(io);
      return '';
    });
  for (const { title, commands } of commandGroups) {
    program.commandsGroup(`${title}:`);
    for (const command of commands) addCommand(program, command, frame);
  }
  addHelp(program, frame);
  // Without a command, --all is for the options of `start`.
  const start = program.commands.find((command) => command.name() === 'start');
  if (frame.isHelp && frame.showsAll) program.addHelpText('after', () => `\n${start?.helpInformation()}`);
  // The last lines of the page name its own options. Those of the commands are shown.
  for (const option of program.options) option.hideHelp(frame.isHelp);
  return program.addHelpOption(new Option('-h, --help').hideHelp());
}

/** Returns whether a command line runs another command, which follows `--`. */
export function isRunner([name]: readonly string[]): boolean {
  return allCommands.some((command) => command.name === name && command.runs !== undefined);
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
  const isHelp = given.some((word) => word === '--help' || word === '-h' || word === 'help');
  const showsAll = !isHelp || given.includes('--all');
  const ownArguments = given.filter((word) => !(isHelp && word === '--all')).map(toLowerFlag);
  try {
    const program = createProgram({ io, isHelp, showsAll, childCommand, finish });
    await program.parseAsync(ownArguments, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof ConfigError) return printMistakes(error.mistakes, printTo(io.stderr));
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : 2;
  }
}

/** Tables of options: of `start`, from its table, and of each command, from its help text. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { optionTable } from '../../../src/config/option-table.ts';
import { builtProgram } from '../../harness/build.ts';
import { environment } from '../../harness/program.ts';
import { code, toTable } from './table.ts';

const heads = ['option', 'environment', 'default', 'meaning'];

/** Returns the table of all options of the server. */
export function toOptionsTable(): string {
  const rows = optionTable.map(({ flag, env, defaultText, help, repeatable, onlyEnv }) => [
    onlyEnv ? '' : code(flag),
    code(env),
    flag.startsWith('--no-') ? '' : code(defaultText),
    `${help}${repeatable ? ' (repeatable)' : ''}`,
  ]);
  return toTable(heads, rows);
}

/** Names of all commands, in the order of the help text. */
export function listCommands(): readonly string[] {
  const commands = readHelp('').split('\nCommands:\n')[1]?.split('\n\n')[0] ?? '';
  return [...commands.matchAll(/^ {2}(\S+)/gm)].map(([, name = '']) => name).filter((name) => name !== 'help');
}

/** Commands that have the options of a sandbox too. */
const runners = ['run', 'sweep', 'shrink'];

/** Returns the usage of a command, and a table of its arguments and of the options that `start` does not have. */
export function toCommandBlock(command: string): string {
  const help = readHelp(command);
  const usage = /^Usage: (.*)$/m.exec(help)?.[1] ?? '';
  const rows = [...readRows(help, 'Arguments'), ...readRows(help, 'Options')]
    .filter(({ name }) => name !== '-h, --help')
    .filter((row) => !runners.includes(command) || !isOptionOfStart(row))
    .map(({ name, text }) => {
      const [, meaning = '', env = '', byDefault = ''] =
        /^(.*?)(?: \[(SANDBOX_\w+)\])?(?: \(default: (.*)\))?$/.exec(text) ?? [];
      return [code(name), code(env), code(byDefault), meaning.replace(/https?:\/\/\S+/g, '`$&`')];
    });
  return `\nUsage: \`${usage}\`\n${rows.length > 0 ? toTable(['argument or option', ...heads.slice(1)], rows) : ''}`;
}

/** Flags of a command. */
export const listFlags = (command: string): readonly string[] =>
  readRows(readHelp(command), 'Options').map(({ name }) => name);

interface HelpRow {
  readonly name: string;
  readonly text: string;
}

/** Whether the option is one of `start`, with the same default. */
const isOptionOfStart = ({ name, text }: HelpRow): boolean =>
  optionTable.some(
    ({ flag, defaultText }) =>
      flag === name && (defaultText === '' || flag.startsWith('--no-') || text.endsWith(`(default: ${defaultText})`)),
  );

/** Reads the rows of one section of a help text, which continue on indented lines. */
function readRows(help: string, section: string): readonly HelpRow[] {
  const lines = help.split(`\n${section}:\n`)[1]?.split('\n\n')[0] ?? '';
  return lines
    .replace(/\n {3,}/g, ' ')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, name = '', text = ''] = /^ {2}(.*?) {2,}(.*)$/.exec(line) ?? [];
      return { name, text };
    });
}

const program = path.join(await builtProgram(), 'main.js');

const readHelp = (command: string): string =>
  spawnSync(process.execPath, [program, ...(command === '' ? [] : [command]), '--help'], {
    encoding: 'utf8',
    env: environment({}),
  }).stdout;

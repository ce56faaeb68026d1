/** Tables of options: of `start`, from its table, and of each command, from its help text. */
import { optionTable } from '../../../src/config/option-table.ts';
import { runCommand } from '../../harness/cli.ts';
import { code, toTable } from './table.ts';

const heads = ['option', 'environment', 'default', 'meaning'];

/** Returns the table of all options of the server. */
export function toOptionsTable(): string {
  const rows = optionTable.map(({ flag, env, defaultText, help, repeatable }) => [
    flag === '' ? '' : code(flag),
    code(env),
    flag.startsWith('--no-') ? '' : code(defaultText),
    `${help}${repeatable ? ' (repeatable)' : ''}`,
  ]);
  return toTable(heads, rows);
}

/** Names of all commands, in the order of the help text. */
export async function listCommands(): Promise<readonly string[]> {
  const commands = (await readHelp('')).split('\nExamples:\n')[0] ?? '';
  return [...commands.matchAll(/^ {2}([a-z]\S+) {2}/gm)].map(([, name = '']) => name).filter((name) => name !== 'help');
}

/** Commands that have the options of a sandbox too. */
const runners = ['run', 'sweep', 'shrink', 'prove'];

/** Options of all commands that call a running sandbox, which the page lists once. */
const ofClients = ['--url <url>', '--admin-token <token>', '--api-key <key>'];

/** Returns the table of the options of all commands that call a running sandbox. */
export async function toClientTable(): Promise<string> {
  const rows = readRows(await readHelp('logs'), 'Options').filter(({ name }) => ofClients.includes(name));
  return toTable(heads, rows.map(toCells));
}

/** Returns the usage of a command, and a table of its arguments and of the options that it shares with no other. */
export async function toCommandBlock(command: string): Promise<string> {
  const help = await readHelp(command);
  const usage = /^Usage: field-sandbox (.*)$/m.exec(help)?.[1] ?? '';
  const rows = [...readRows(help, 'Arguments'), ...readRows(help, 'Options')]
    .filter(({ name }) => name !== '-h, --help' && !ofClients.includes(name))
    .filter(({ name }) => !runners.includes(command) || optionTable.every(({ flag }) => flag !== name))
    .map(toCells);
  return toTable([code(usage), ...heads.slice(1)], rows);
}

/** Flags of a command. */
export const listFlags = async (command: string): Promise<readonly string[]> =>
  readRows(await readHelp(command), 'Options').map(({ name }) => name);

interface HelpRow {
  readonly name: string;
  readonly text: string;
}

function toCells({ name, text }: HelpRow): readonly string[] {
  const [, meaning = '', env = '', byDefault = ''] =
    /^(.*?)(?: \[(SANDBOX_\w+)\])?(?: \(default: (.*)\))?$/.exec(text) ?? [];
  return [code(name), code(env), code(byDefault), meaning.replace(/https?:\/\/\S+/g, '`$&`')];
}

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

const readHelp = async (command: string): Promise<string> =>
  (await runCommand([...(command === '' ? [] : [command]), '--help', '--all'])).out;

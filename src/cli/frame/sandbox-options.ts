/** The options of the sandbox as options of a command. */
import { type Command, Option } from 'commander';
import { type OptionRow, optionTable, runDefaults, runIgnores, runLacks } from '../../config/option-table.ts';
import type { OptionTexts } from '../../config/options.ts';

/** Options of a sandbox for one command, whose address comes from the command line only. */
export const runTable: readonly OptionRow[] = optionTable
  .filter(({ key }) => !runLacks.includes(key))
  .map((row) => ({
    ...row,
    defaultText: runDefaults[row.key] ?? row.defaultText,
    env: runIgnores.includes(row.env) ? '' : row.env,
  }));

/** Options that few need: help shows them with `--all` only. */
const rare: readonly (keyof OptionTexts)[] = [
  ...(['host', 'tls', 'tlsPort', 'tlsNames', 'tlsCert', 'tlsKey', 'mapTiles', 'callbackAllow'] as const),
  ...(['data', 'postgres', 'clusterHost', 'clusterPort', 'lease', 'rolling', 'memory'] as const),
];

/** Adds the options of these rows. `showsAll`: whether help shows those that few need. */
export function addSandboxOptions(command: Command, rows: readonly OptionRow[], showsAll: boolean): void {
  for (const { key, flag, help, env, defaultText, repeatable } of rows) {
    if (flag === '') continue;
    const shownDefault = defaultText === '' || flag.startsWith('--no-') ? '' : ` (default: ${defaultText})`;
    const text = `${help}${env === '' ? '' : ` [${env}]`}${shownDefault}`;
    const option = new Option(flag, text).hideHelp(rare.includes(key) && !showsAll);
    if (repeatable) option.argParser(collect);
    command.addOption(option);
  }
  if (!showsAll && rows.some(({ key }) => rare.includes(key))) {
    const more = `field-sandbox ${command.name()} --help --all`;
    command.addHelpText('after', `\nMore options: ${more}`);
  }
}

/** Collects the values of a repeatable option. */
export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

/** Splits Commander's values into the options of the sandbox, by the keys of the table, and those of the command. */
export function splitOptions(
  values: Readonly<Record<string, unknown>>,
  rows: readonly OptionRow[],
): { readonly sandbox: OptionTexts; readonly own: object } {
  const keys = new Map(rows.filter(({ flag }) => flag !== '').map(({ flag, key }) => [toAttribute(flag), key]));
  const entries = Object.entries(values);
  const sandbox = entries.flatMap(([attribute, value]) => {
    const key = keys.get(attribute);
    if (key === undefined || (key === 'magicIds' && value === true)) return [];
    return [[key, typeof value === 'boolean' ? String(value) : value] as const];
  });
  const own = entries.filter(([attribute]) => !keys.has(attribute));
  return { sandbox: Object.fromEntries(sandbox) as OptionTexts, own: Object.fromEntries(own) };
}

/** Converts a flag to the name that Commander gives its value. */
function toAttribute(flag: string): string {
  const [name = ''] = flag.replace(/^--(no-)?/, '').split(' ');
  return name.replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase());
}

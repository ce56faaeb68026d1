/** Compares the generated tables of the reference with the program. `npx vitest run test/docs/tables.test.ts -u` writes them. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { optionTable } from '../../src/config/option-table.ts';
import { toOperationTable } from './tables/api.ts';
import { toPathTable } from './tables/control.ts';
import { toCodeTable } from './tables/errors.ts';
import { listCommands, listFlags, toClientTable, toCommandBlock, toOptionsTable } from './tables/options.ts';
import { toMagicTable, toShippedTable } from './tables/shipped.ts';
import { replaceBlocks } from './tables/table.ts';

/** Commands with a section on the page of commands; `start` has a page of its own. */
const commands = (await listCommands()).filter((command) => command !== 'start');

const commandBlocks = Object.fromEntries([
  ['clients', await toClientTable()] as const,
  ...(await Promise.all(
    commands.map(async (command) => [command.replace(/-/g, '_'), await toCommandBlock(command)] as const),
  )),
]);

const pages: Readonly<Record<string, () => Readonly<Record<string, string>>>> = {
  options: () => ({ options: toOptionsTable() }),
  commands: () => commandBlocks,
  api: () => ({ operations: toOperationTable() }),
  'control-api': () => ({
    server: toPathTable('server'),
    project: toPathTable('project'),
  }),
  errors: () => ({ codes: toCodeTable() }),
  'shipped-scenarios': () => ({ magic: toMagicTable(), shipped: toShippedTable() }),
};

test.each(Object.entries(pages))('the tables of docs/reference/%s.md match the program', async (name, toBlocks) => {
  const file = `docs/reference/${name}.md`;
  await expect(replaceBlocks(readFileSync(file, 'utf8'), toBlocks())).toMatchFileSnapshot(`../../${file}`);
});

test('run has the options of start, except --demo, --json, and those that store data', async () => {
  const shared = ['--postgres <url>', '--cluster-host <name>', '--cluster-port <number>', '--lease <duration>'];
  const except = ['--data <dir>', ...shared, '--rolling', '--demo', '--json', ''];
  const expected = optionTable.map(({ flag }) => flag).filter((flag) => !except.includes(flag));
  const flags = await listFlags('run');
  expect(flags).toEqual(expect.arrayContaining(expected));
  expect(flags.filter((flag) => except.includes(flag))).toEqual([]);
});

#!/usr/bin/env node
/** The edge of the process: reads the command line and runs what it asks for. */
import module from 'node:module';
import { Command, CommanderError } from 'commander';
import { didYouMean } from './base/nearest.ts';
import { runStart } from './cli/start.ts';
import { optionTable } from './option-table.ts';
import type { OptionTexts } from './options.ts';

// Compiled code kept from one start to the next; Node 20 has no such thing.
(module as { enableCompileCache?: () => void }).enableCompileCache?.();

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

function createProgram(finish: (code: number | undefined) => void): Command {
  const program = new Command('field-sandbox')
    .description(
      'A sandbox of the field-service API: plays every operation, explains every mistake, produces every failure.',
    )
    .showSuggestionAfterError()
    .exitOverride();
  const start = program
    .command('start', { isDefault: true })
    .description('start the sandbox (this is what happens without a command)');
  for (const { flag, help, env, usual, repeatable, onlyEnv } of optionTable) {
    if (onlyEnv) continue;
    const text = `${help} [${env}]${usual === '' || flag.startsWith('--no-') ? '' : ` (usually ${usual})`}`;
    if (repeatable) start.option(flag, text, (value: string, before: string[] = []) => [...before, value]);
    else start.option(flag, text);
  }
  const hidden = optionTable.filter(({ onlyEnv }) => onlyEnv).map(({ env, help }) => `  ${env}  ${help}`);
  const environment = `\nOnly in the environment:\n${hidden.join('\n')}\n\nLists in the environment are separated by white space.`;
  start.addHelpText('after', environment);
  program.addHelpText('after', () => `\n${start.helpInformation()}${environment}`);
  // A word that is no command comes here, since this one needs no name.
  start.allowExcessArguments();
  start.action(async (values: Record<string, unknown>) => {
    const [unknown] = start.args;
    if (unknown === undefined) return finish(await runStart(toTexts(values)));
    const commands = program.commands.map((command) => command.name());
    complain(`unknown command "${unknown}"${didYouMean(unknown, commands)}; there are ${commands.join(', ')}\n`);
    finish(2);
  });
  program
    .command('check')
    .description('say everything that is wrong with scenario and profile files')
    .argument('<file...>')
    .action(async (files: string[]) => finish(await (await import('./cli/check.ts')).runCheck(files, print)));
  program
    .command('sample')
    .description('print a valid, realistic body for an operation')
    .argument('<operation>', 'its operationId')
    .option('--count <number>', 'how many entries')
    .option('--seed <text>', 'the same seed gives the same body')
    .action(async (operation: string, { count, seed }: { count?: string; seed?: string }) => {
      const { runSample } = await import('./cli/sample.ts');
      finish(await runSample({ operation, count, seed }, print, complain));
    });
  program
    .command('health')
    .description('ask the sandbox on this machine whether it is ready')
    .option('--port <number>', 'its port')
    .option('--host <name>', 'its address')
    .action(async (values: OptionTexts) => finish(await (await import('./cli/health.ts')).runHealth(values, complain)));
  return program;
}

const program = createProgram((code) => {
  if (code !== undefined) process.exitCode = code;
});
try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : 2;
}

/** The benchmark's command line. */
import { Command, CommanderError, InvalidArgumentError } from 'commander';

/** What it was asked for. */
export interface BenchOptions {
  readonly rounds: number;
  /** A part of the name of what is to be measured; all where left out. */
  readonly only?: string;
  readonly peers: boolean;
}

const defaultRounds = 5;

/**
 * Reads `npm run bench -- …`, the words without Node and file. An exit code where nothing is to be measured: help was asked
 * for, or something is wrong; `print` and `complain` have been told.
 */
export function parseBenchOptions(
  words: readonly string[],
  names: readonly string[],
  print: (text: string) => void,
  complain: (text: string) => void,
): BenchOptions | number {
  const command = new Command('npm run bench --')
    .description(
      'Measure the sandbox against bare Express in the same run. The table goes to stdout, progress to stderr.',
    )
    .option('--rounds <number>', 'how often each thing is measured', toRounds, defaultRounds)
    .option('--only <text>', 'only what has this in its name')
    .option('--peers', 'measure Prism and Mockoon beside it; npm installs them into a temporary folder', false)
    .addHelpText('after', `\nWhat is measured:\n${names.map((name) => `  ${name}\n`).join('')}`)
    .configureOutput({ writeOut: print, writeErr: complain })
    .exitOverride();
  try {
    command.parse([...words], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : 2;
  }
  const options = command.opts<BenchOptions>();
  if (options.only === undefined || names.some((name) => isMeant(name, options.only))) return options;
  complain(`--only: nothing has ${JSON.stringify(options.only)} in its name; there are ${names.join('; ')}\n`);
  return 2;
}

/** Whether what has this name is to be measured. */
export function isMeant(name: string, only: string | undefined): boolean {
  return only === undefined || name.toLowerCase().includes(only.toLowerCase());
}

function toRounds(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new InvalidArgumentError(`expected a whole number from 1 to 999, got ${JSON.stringify(text)}`);
}

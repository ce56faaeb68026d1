/** The benchmark's command line. */
import { Command, CommanderError, InvalidArgumentError } from 'commander';

export interface BenchOptions {
  readonly rounds: number;
  /** A part of the names of the measurements to run; all if it is undefined. */
  readonly only?: string;
}

const defaultRounds = 5;

/**
 * Parses the arguments of `npm run bench -- …`. Returns an exit code after `--help`, or after a mistake, which it passes to
 * `complain`.
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
    .option('--rounds <number>', 'rounds of each measurement', toRounds, defaultRounds)
    .option('--only <text>', 'only measurements whose names contain the text')
    .addHelpText('after', `\nMeasurements:\n${names.map((name) => `  ${name}\n`).join('')}`)
    .configureOutput({ writeOut: print, writeErr: complain })
    .exitOverride();
  try {
    command.parse([...words], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : 2;
  }
  const options = command.opts<BenchOptions>();
  if (options.only === undefined || names.some((name) => isSelected(name, options.only))) return options;
  complain(
    `--only: no measurement contains ${JSON.stringify(options.only)}; the measurements are ${names.join('; ')}\n`,
  );
  return 2;
}

/** Whether `--only` selects a measurement. */
export function isSelected(name: string, only: string | undefined): boolean {
  return only === undefined || name.toLowerCase().includes(only.toLowerCase());
}

function toRounds(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new InvalidArgumentError(`expected a whole number from 1 to 999, got ${JSON.stringify(text)}`);
}

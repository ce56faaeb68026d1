/** Formats the command that repeats a case of a sweep. */
import { toWord } from '../lib/shell-word.ts';
import type { SweepCase } from './report.ts';

/** The command line of the sweep, on one line, quoted for a shell and without secrets. */
export interface SweptCommand {
  /** The command after `--`, such as `npm test`. */
  readonly command: string;
  /** The options of the sweep that change results, such as `--profile partner.yaml`. */
  readonly options?: string | undefined;
}

/** Returns the command, or undefined if the case has no scenario file. */
export function toRepeatCommand(
  { scenario }: Pick<SweepCase, 'scenario'>,
  { command, options }: SweptCommand,
): string | undefined {
  if (scenario === undefined) return undefined;
  const given = options ? ` ${options}` : '';
  return `field-sandbox run --scenario ${toWord(scenario)}${given} -- ${command}`;
}

/** Formats the commands that repeat cases of a sweep, and that prove a fix of them. */
import { toWord } from '../lib/shell-word.ts';
import type { SweepCase } from './report.ts';

/** The command line of a sweep, quoted for a shell and without secrets. */
export interface SweptCommand {
  /** The command after `--`, such as `npm test`. */
  readonly command: string;
  /** The options of the sweep that change results, such as `--profile partner.yaml`. */
  readonly options?: string | undefined;
}

/** Returns the command that repeats exactly these cases of one operation, with their baseline. */
export function toRepeatCommand(
  cases: readonly Pick<SweepCase, 'case' | 'operation'>[],
  { command, options }: SweptCommand,
): string {
  const operations = [...new Set(cases.map(({ operation }) => operation))].join(',');
  const kinds = cases.map(({ case: id, operation }) => id.slice(operation.length + 1)).join(',');
  return toCommandLine(`sweep --operation ${toWord(operations)} --kind ${toWord(kinds)}`, command, options);
}

/** Returns the command that shows that the working tree survives the cases of a report, and HEAD does not. */
export function toProveCommand(file: string, { command, options }: SweptCommand): string {
  return toCommandLine(`prove --before HEAD --sweep ${toWord(file)}`, command, options);
}

function toCommandLine(words: string, command: string, options: string | undefined): string {
  return `npx field-sandbox ${words}${options ? ` ${options}` : ''} -- ${command}`;
}

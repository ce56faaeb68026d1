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

/** Returns the command that repeats cases of one operation, with their baseline. */
export function toRepeatCommand(
  cases: readonly Pick<SweepCase, 'operation' | 'kind' | 'occurrence'>[],
  { command, options }: SweptCommand,
): string {
  const operations = [...new Set(cases.map(({ operation }) => operation))].join(',');
  const kinds = [...new Set(cases.map(({ kind }) => kind))].join(',');
  const occurrences = Math.max(...cases.map(({ occurrence }) => occurrence ?? 1));
  const selected = [
    ...['--operation', operations, '--kind', kinds],
    ...(occurrences > 1 ? ['--occurrences', String(occurrences)] : []),
  ];
  return toCommandLine(`sweep ${selected.map(toWord).join(' ')}`, command, options);
}

/** Returns the command that shows that the working tree survives the cases of a report, and HEAD does not. */
export function toProveCommand(file: string, { command, options }: SweptCommand): string {
  return toCommandLine(`prove --before HEAD --sweep ${toWord(file)}`, command, options);
}

function toCommandLine(words: string, command: string, options: string | undefined): string {
  return `npx field-sandbox ${words}${options ? ` ${options}` : ''} -- ${command}`;
}

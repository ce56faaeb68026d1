/** What a command declares: its name, options and help. The list of them is in `commands.ts`. */
import type { OptionRow } from '../../config/option-table.ts';
import type { OptionTexts } from '../../config/options.ts';
import type { Io } from './io.ts';

/** A command of `field-sandbox`. Declaring one loads nothing that only running it needs. */
export interface CommandSpec<Own extends object = object> {
  readonly name: string;
  readonly summary: string;
  /** Each argument as Commander writes it, such as `<file...>`, with its help. */
  readonly args?: readonly (readonly [syntax: string, help: string])[];
  /** Flags such as `--out <dir>`, help, and whether the option may be repeated. */
  readonly options?: readonly (readonly [flags: string, help: string, repeats?: 'repeatable'])[];
  /** Options of the sandbox that the command also takes. */
  readonly sandboxOptions?: readonly OptionRow[];
  /** Of a command that runs another one: options that must be given, and what a word before `--` may have meant. */
  readonly runs?: { readonly required?: string; readonly explain: (word: string) => string };
  /** Text after the options. */
  readonly note?: string;
  /**
   * @returns the exit code; undefined while `start` is running
   * @throws ConfigError with the mistakes of the user, which makes the exit code 2
   */
  run(given: Given<Own>, io: Io): Promise<number | undefined>;
}

/** What a command line has for a command. */
export interface Given<Own extends object> {
  /** Its arguments; an optional one is undefined. A list is one argument. */
  readonly args: readonly unknown[];
  /** Its own options, by Commander's names. */
  readonly own: Own;
  /** The options of the sandbox. */
  readonly sandbox: OptionTexts;
  /** The words after `--`; undefined without `--`. */
  readonly command: readonly string[] | undefined;
}

/** Commands of one heading of `--help`. */
export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly CommandSpec[];
}

/** Prepares a command that runs another one in a sandbox of its own: parses the options, and explains why it can't start. */
import { type Options, runDefaults, runIgnores } from '../../config/option-table.ts';
import { type OptionTexts, type ParsedOptions, parseOptions, readEnvironment } from '../../config/options.ts';
import { type Io, printTo } from '../frame/io.ts';
import { toBugLines, toLogFormat, toWarningLine } from '../output/log.ts';
import { printMistakes } from '../output/text.ts';
import { toStartMistakes } from '../process/start-mistakes.ts';

interface Request {
  /** Options of `run`. */
  readonly given: OptionTexts;
  /** The command and its arguments; undefined if there was no `--`. */
  readonly command: readonly string[] | undefined;
  /** A command line that is right, after `field-sandbox`. */
  readonly example: string;
  /** Returns the mistakes in other options. `options`: undefined if these have mistakes. */
  check(options: Options | undefined): Promise<readonly string[]>;
}

/** Merges the options of `run`: the command line overrides the environment, which overrides the defaults of `run`. */
export function applyRunDefaults(
  given: OptionTexts,
  environment: Readonly<Record<string, string>>,
): [OptionTexts, Readonly<Record<string, string>>] {
  const runEnvironment = Object.fromEntries(Object.entries(environment).filter(([name]) => !runIgnores.includes(name)));
  const log = runEnvironment['SANDBOX_LOG'];
  return [{ ...runDefaults, ...(log !== undefined && { log }), ...given }, runEnvironment];
}

/** @returns the exit code of `work`; 2 if options are wrong or the sandbox can't start, 1 after an error of ours */
export async function withOptions(
  { given, command = [], example, check }: Request,
  io: Io,
  work: (parsed: Parsed, command: readonly string[]) => Promise<number>,
): Promise<number> {
  const printError = printTo(io.stderr);
  if (command.length === 0)
    return printMistakes([`expected a command after --, such as: field-sandbox ${example}`], printError);
  const parsed = parseOptions(...applyRunDefaults(given, readEnvironment(io.env)));
  const others = await check(parsed.ok ? parsed.options : undefined);
  if (!parsed.ok || others.length > 0)
    return printMistakes([...(parsed.ok ? [] : parsed.mistakes), ...others], printError);
  return explainStart(parsed, io, () => work(parsed, command));
}

type Parsed = Extract<ParsedOptions, { ok: true }>;

/** Does work that starts a sandbox with these options. @returns as `withOptions` */
export async function explainStart(
  { options, names, remarks }: Parsed,
  io: Io,
  work: () => Promise<number>,
): Promise<number> {
  const printError = printTo(io.stderr);
  const format = toLogFormat(options.log, io.stderr.isTTY === true);
  for (const remark of remarks) printError(toWarningLine(remark, format));
  try {
    return await work();
  } catch (error) {
    const mistakes = toStartMistakes(error, options, names);
    if (mistakes) return printMistakes(mistakes, printError);
    printError(toBugLines('command', error));
    return 1;
  }
}

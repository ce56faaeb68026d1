/** Prepares a command that runs another one in a sandbox of its own: parses the options, and explains why it can't start. */
import { ConfigError } from '../../config/config-error.ts';
import { type Options, runDefaults, runIgnores } from '../../config/option-table.ts';
import {
  type OptionNames,
  type OptionTexts,
  type ParsedOptions,
  parseOptions,
  readEnvironment,
} from '../../config/options.ts';
import type { Given } from '../frame/command.ts';
import { type Io, printTo } from '../frame/io.ts';
import { hideSecrets } from '../output/hide-secrets.ts';
import { toBugLines, toLogFormat, toWarningLine } from '../output/log.ts';
import { toStartMistakes } from '../process/start-mistakes.ts';

interface Request<Own> extends Pick<Given<object>, 'sandbox' | 'command'> {
  /** A command line that is right, after `field-sandbox`. */
  readonly example: string;
  /** Reads the command's own options, and adds their mistakes. `parsed`: undefined if the others have mistakes. */
  read(mistakes: string[], parsed: Parsed | undefined): Promise<Own>;
}

/** The options of the sandbox and of the command, and the command to run. */
export interface Prepared<Own> {
  readonly options: Options;
  readonly names: OptionNames;
  readonly own: Own;
  readonly command: readonly string[];
}

/** @returns the exit code of `work`; 1 after an error of ours. @throws ConfigError */
export async function withOptions<Own>(
  { sandbox, command = [], example, read }: Request<Own>,
  io: Io,
  work: (prepared: Prepared<Own>) => Promise<number>,
): Promise<number> {
  if (command.length === 0) throw new ConfigError([`expected a command after --, such as: field-sandbox ${example}`]);
  const parsed = parseRunOptions(sandbox, readEnvironment(io.env));
  const mistakes: string[] = [];
  const own = await read(mistakes, parsed.ok ? parsed : undefined);
  if (!parsed.ok || mistakes.length > 0) throw new ConfigError([...(parsed.ok ? [] : parsed.mistakes), ...mistakes]);
  const { options, names, remarks } = parsed;
  const printError = printTo(io.stderr);
  const format = toLogFormat(options.log, io.stderr.isTTY === true);
  for (const remark of remarks) printError(toWarningLine(remark, format));
  try {
    return await work({ options, names, own, command });
  } catch (error) {
    const found = toStartMistakes(error, options, names);
    if (found) throw new ConfigError(found.map((mistake) => hideSecrets(mistake, options)));
    printError(toBugLines('command', error));
    return 1;
  }
}

type Parsed = Extract<ParsedOptions, { ok: true }>;

/** Parses the options of `run`: the command line overrides the environment, which overrides the defaults of `run`. */
function parseRunOptions(given: OptionTexts, environment: Readonly<Record<string, string>>): ParsedOptions {
  const runEnvironment = Object.fromEntries(Object.entries(environment).filter(([name]) => !runIgnores.includes(name)));
  const log = runEnvironment['SANDBOX_LOG'];
  return parseOptions({ ...runDefaults, ...(log !== undefined && { log }), ...given }, runEnvironment);
}

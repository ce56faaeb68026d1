/** Prepares a command that runs another one in a sandbox of its own: parses the options, and explains why it can't start. */
import { ConfigError } from '../../config/config-error.ts';
import { type Options, runDefaults, runIgnores } from '../../config/option-table.ts';
import {
  nameAsGiven,
  type OptionNames,
  type OptionTexts,
  type ParsedOptions,
  parseOptions,
  readEnvironment,
} from '../../config/options.ts';
import { readSandboxFiles, type SandboxFiles } from '../../config/sandbox-files.ts';
import type { Given } from '../frame/command.ts';
import { type Io, printTo } from '../frame/io.ts';
import { hideSecrets } from '../output/hide-secrets.ts';
import { toBugLines, toLogFormat, toWarningLine } from '../output/log.ts';
import { toBugLine } from '../output/text.ts';
import { toStartMistakes } from '../process/start-mistakes.ts';

interface Request<Own> extends Pick<Given<object>, 'sandbox' | 'command'> {
  /** A command line that is right, after `field-sandbox`. */
  readonly example: string;
  /** Reads the command's own options, and adds their mistakes to those of the others. `parsed`: undefined if it fails. */
  read(mistakes: string[], parsed: Parsed | undefined): Promise<Own>;
}

/** The options of the sandbox and of the command, and the command to run. */
export interface Prepared<Own> {
  readonly options: Options;
  readonly names: OptionNames;
  readonly files: SandboxFiles;
  readonly own: Own;
  readonly command: readonly string[];
  /** Messages of the sandbox's own bugs: they are printed at the end, and no exit code is 0 then. */
  readonly bugs: Set<string>;
}

/** @returns the exit code of `work`; 1 after an error of ours. @throws ConfigError */
export async function withOptions<Own>(
  { sandbox, command = [], example, read }: Request<Own>,
  io: Io,
  work: (prepared: Prepared<Own>) => Promise<number>,
): Promise<number> {
  if (command.length === 0) throw new ConfigError([`expected a command after --, such as: field-sandbox ${example}`]);
  const parsed = parseRunOptions(sandbox, readEnvironment(io.env));
  const mistakes = parsed.ok ? [] : [...parsed.mistakes];
  const files = parsed.ok ? await readFiles(parsed, mistakes) : undefined;
  const own = await read(mistakes, parsed.ok ? parsed : undefined);
  if (!parsed.ok || !files || mistakes.length > 0) throw new ConfigError(mistakes);
  const { options, names, remarks } = parsed;
  const printError = printTo(io.stderr);
  const format = toLogFormat(options.log, io.stderr.isTTY === true);
  for (const remark of remarks) printError(toWarningLine(remark, format));
  const bugs = new Set<string>();
  try {
    const code = await work({ options, names, files, own, command, bugs });
    return bugs.size > 0 ? code || 1 : code;
  } catch (error) {
    const found = toStartMistakes(error, options, names);
    if (found) throw new ConfigError(found.map((mistake) => hideSecrets(mistake, options)));
    printError(toBugLines('command', error));
    return 1;
  } finally {
    for (const bug of bugs) printError(`${toBugLine(bug)}\n`);
  }
}

type Parsed = Extract<ParsedOptions, { ok: true }>;

async function readFiles({ options, names }: Parsed, mistakes: string[]): Promise<SandboxFiles | undefined> {
  try {
    return await readSandboxFiles(options);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    mistakes.push(...error.mistakes.map((mistake) => hideSecrets(nameAsGiven(mistake, names), options)));
    return undefined;
  }
}

/** Parses the options of `run`: the command line overrides the environment, which overrides the defaults of `run`. */
export function parseRunOptions(given: OptionTexts, environment: Readonly<Record<string, string>>): ParsedOptions {
  const runEnvironment = Object.fromEntries(Object.entries(environment).filter(([name]) => !runIgnores.includes(name)));
  const log = runEnvironment['SANDBOX_LOG'];
  return parseOptions({ ...runDefaults, ...(log !== undefined && { log }), ...given }, runEnvironment);
}

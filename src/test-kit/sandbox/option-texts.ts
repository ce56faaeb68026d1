/** Converts the options of a test with the command line's parser, and names them by key in error messages. */
import { checkSwitch } from '../../config/option-checks.ts';
import { type Options, optionTable, runDefaults } from '../../config/option-table.ts';
import { type OptionTexts, type ParsedOptions, parseOptions } from '../../config/options.ts';
import { isObject } from '../../lib/json.ts';
import { didYouMean } from '../../lib/nearest.ts';
import { toTimestamp } from '../../lib/time.ts';
import { isInstant, isJson, show } from '../methods.ts';
import { type SandboxError, toMistaken } from '../sandbox-error.ts';
import type { ScenarioInput } from '../types.ts';

/** Options of `startSandbox`: all options of the command line except `--json`. All are optional. */
export interface SandboxOptions
  extends Partial<Omit<Options, 'json' | 'clock' | 'scenarios' | 'apiKeys' | 'memory' | 'lease'>> {
  /** Clock of all projects: `real`, `frozen`, a time to freeze at, or a rate such as `20x`. */
  readonly clock?: string | Date;
  /** Active scenarios of all projects, highest priority first. Each is a name, a file or an object. */
  readonly scenarios?: readonly (string | ScenarioInput)[];
  /** API keys that the sandbox accepts: `KEY[@REGION][=PROJECT,…]`. The first one becomes `apiKey`. */
  readonly apiKeys?: readonly string[];
  /** Maximum memory, such as `512MB`. */
  readonly memory?: string;
  /** Time after which other servers of `postgres` take over, such as `5s`. */
  readonly lease?: string;
}

/** Keys of all options of the test kit. */
const knownKeys: readonly string[] = optionTable.map(({ key }) => key).filter((key) => key !== 'json');

/**
 * Converts the given options to texts.
 * @throws SandboxError if an option is unknown or its value has a wrong type; it lists the mistakes of the others, too
 */
export function toTexts(options: SandboxOptions): OptionTexts {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  const valid = entries.filter(([key, value]) => findMistake(key, value) === undefined);
  const values = valid.map(([key, value]) => {
    return [key, Array.isArray(value) ? value.map((one) => toText(key, one)) : toText(key, value)];
  });
  const texts = Object.fromEntries(values) as OptionTexts;
  const mistakes = entries.flatMap(([key, value]) => findMistake(key, value) ?? []);
  if (mistakes.length === 0) return texts;
  const parsed = parse(texts);
  throw toOptionsError(parsed.ok ? mistakes : [...mistakes, ...parsed.mistakes]);
}

/** Returns why a value can't be converted to text, or undefined if it can. The parser checks the text itself. */
function findMistake(key: string, value: unknown): string | undefined {
  const row = optionTable.find((one) => one.key === key);
  if (!row || !knownKeys.includes(key)) return `unknown option "${key}"${didYouMean(key, knownKeys)}`;
  if (Array.isArray(value) && !row.repeatable) return `${key}: expected one value, got ${show(value)}`;
  const isEmpty = Array.isArray(value) && value.length === 0;
  // An option with a default needs at least one value: a sandbox without API keys could not be used.
  if (isEmpty && row.defaultText !== '') return `${key}: expected at least one value, got none`;
  const isText = [value].flat().every((one) => toText(key, one) !== undefined);
  const expected = row.check === checkSwitch ? 'true or false' : 'a string';
  return isText ? undefined : `${key}: expected ${expected}, got ${show(value)}`;
}

function toText(key: string, value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (isInstant(value)) return toTimestamp(value.getTime());
  // The parser of scenario files also accepts JSON.
  return key === 'scenarios' && isObject(value) && isJson(value) ? JSON.stringify(value) : undefined;
}

const parse = (texts: OptionTexts): ParsedOptions => parseOptions({ ...runDefaults, ...texts }, {});

/** Parses the options of a sandbox in this process: by default, on a free port and without a log. */
export function toOptions(texts: OptionTexts): Options {
  const parsed = parse(texts);
  if (!parsed.ok) throw toOptionsError(parsed.mistakes);
  return parsed.options;
}

/** Creates an error that names options by key, such as `apiKeys`; the parser names them by flag or variable. */
export function toOptionsError(mistakes: readonly string[]): SandboxError {
  const keys = new Map(optionTable.flatMap(({ flag, env, key }) => [[flag.split(' ')[0], key] as const, [env, key]]));
  const toKey = (name: string): string => keys.get(name) ?? name;
  return toMistaken(
    mistakes.map((mistake) => mistake.replace(/--[a-z-]+|^SANDBOX_\w+/g, toKey)),
    'startSandbox: ',
  );
}

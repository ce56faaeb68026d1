/** Makes options of a test's ones, with the parser of the command line, and tells of them by their keys. */
import { isDate } from 'node:util/types';
import { didYouMean } from '../base/nearest.ts';
import { toTimestamp } from '../base/time.ts';
import { type Options, optionTable, runUsuals } from '../option-table.ts';
import { type OptionTexts, parseOptions } from '../options.ts';
import { createSandboxError, type SandboxError } from './sandbox-error.ts';
import type { SandboxOptions } from './sandbox-options.ts';

/** The options by their keys that there are here. */
const known: readonly string[] = optionTable.map(({ key }) => key).filter((key) => key !== 'json');

/** The options that were given, as texts. @throws SandboxError where there is no such option, or a value is of no use */
export function toTexts(options: SandboxOptions): OptionTexts {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const mistakes: string[] = [];
  const texts = given.map(([key, value]) => {
    if (!known.includes(key)) mistakes.push(`there is no option "${key}"${didYouMean(key, known)}`);
    const values = [value].flat().map((one: unknown) => toText(key, one));
    if (values.some((one) => one === undefined)) mistakes.push(`${key}: expected a text, got ${show(value)}`);
    return [key, Array.isArray(value) ? values : values[0]] as const;
  });
  if (mistakes.length > 0) throw toOptionsError(mistakes);
  return Object.fromEntries(texts) as OptionTexts;
}

function toText(key: string, value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (isDate(value)) return toTimestamp(value.getTime());
  // The parser of scenario files reads JSON, too.
  return key === 'scenarios' && typeof value === 'object' && value !== null ? JSON.stringify(value) : undefined;
}

function show(value: unknown): string {
  return typeof value === 'function' ? 'a function' : (JSON.stringify(value) ?? String(value));
}

/** All options, for a sandbox of this process: on a free port, with no log. @throws SandboxError with every mistake */
export function toOptions(texts: OptionTexts): Options {
  const parsed = parseOptions({ ...runUsuals, ...texts }, {});
  if (!parsed.ok) throw toOptionsError(parsed.mistakes);
  return parsed.options;
}

/** An error that tells of options by their keys; the parser names them by the flags of the command line. */
export function toOptionsError(mistakes: readonly string[]): SandboxError {
  const keys = new Map(optionTable.map(({ flag, key }) => [flag.split(' ')[0], key]));
  const named = mistakes.map((mistake) => mistake.replace(/^--[a-z-]+/, (flag) => keys.get(flag) ?? flag));
  return createSandboxError(`startSandbox: ${named.join('\n')}`);
}

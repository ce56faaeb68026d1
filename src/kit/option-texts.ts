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
  const mistakes = given.flatMap(([key, value]) => refuse(key, value) ?? []);
  if (mistakes.length > 0) throw toOptionsError(mistakes);
  const texts = given.map(([key, value]) => {
    return [key, Array.isArray(value) ? value.map((one) => toText(key, one)) : toText(key, value)];
  });
  return Object.fromEntries(texts) as OptionTexts;
}

/** Why a value can't be made a text, or undefined where it can. What the text says is for the parser. */
function refuse(key: string, value: unknown): string | undefined {
  const row = optionTable.find((one) => one.key === key);
  if (!row || !known.includes(key)) return `there is no option "${key}"${didYouMean(key, known)}`;
  if (Array.isArray(value) && !row.repeatable) return `${key}: expected one value, got ${show(value)}`;
  const isEmpty = Array.isArray(value) && value.length === 0;
  // Without any there would be no sandbox that could be asked.
  if (isEmpty && row.usual !== '') return `${key}: expected at least one, got none`;
  const isText = [value].flat().every((one) => toText(key, one) !== undefined);
  return isText ? undefined : `${key}: expected a text, got ${show(value)}`;
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

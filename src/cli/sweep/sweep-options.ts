/** Parses the options of `sweep` that other commands do not have. Reports all mistakes. */
import { availableParallelism } from 'node:os';
import { operationIds } from '../../operations/index.ts';
import { findUnmatched } from '../../scenarios/glob.ts';
import { parseTime } from '../trial/time-limit.ts';

/** Options as text, by their Commander names. */
export interface SweepTexts {
  readonly operation?: readonly string[];
  readonly kind?: readonly string[];
  readonly quick?: boolean;
  readonly occurrences?: string;
  readonly jobs?: string;
  readonly budget?: string;
  readonly timeout?: string;
  readonly known?: string;
  readonly updateKnown?: boolean;
  readonly out?: string;
  readonly json?: string | undefined;
  readonly junit?: string;
  readonly markdown?: string;
  readonly html?: string;
}

export interface SweepOptions {
  /** Globs; undefined for all. */
  readonly operations: readonly string[] | undefined;
  readonly kinds: readonly string[] | undefined;
  /** Maximum number of occurrences of a kind at an operation. */
  readonly occurrences: number;
  /** Whether to run one case of each kind. */
  readonly quick: boolean;
  /** Number of commands that work at a time; 1: one after the other, also while one waits on a failure. */
  readonly jobs: number;
  readonly budgetMs: number | undefined;
  /** Time limit of one run, in milliseconds; undefined for one that depends on the baseline. */
  readonly timeoutMs: number | undefined;
  readonly out: string;
}

export type ParsedSweepOptions = { readonly options: SweepOptions } | { readonly mistakes: readonly string[] };

/** Cases without an upper limit. */
const unlimited = Number.MAX_SAFE_INTEGER;

/** Maximum number of commands that run at a time. */
const maxJobs = 256;

/** `hasFixedPort`: whether the sandboxes listen on a given port, so that only one can run at a time. */
export function parseSweepOptions(texts: SweepTexts, hasFixedPort: boolean): ParsedSweepOptions {
  const mistakes: string[] = [];
  const operations = toGlobList(texts.operation);
  const kinds = toGlobList(texts.kind);
  mistakes.push(...findUnmatched('--operation', 'operation', operations, operationIds));
  const read = <Value>(value: Value | string): Value | undefined => {
    if (typeof value !== 'string') return value;
    mistakes.push(value);
    return undefined;
  };
  const occurrences = read(parseOccurrences(texts.occurrences ?? 'first'));
  const jobs = read(parseJobs(texts.jobs, hasFixedPort));
  const budgetMs = read(parseTime('--budget', texts.budget));
  const timeoutMs = read(parseTime('--timeout', texts.timeout));
  const { quick = false } = texts;
  if (quick && texts.occurrences !== undefined)
    mistakes.push('--occurrences: --quick runs one case of each kind; remove one of the two');
  if (texts.out === '') mistakes.push('--out: expected a folder, got an empty value');
  if (texts.updateKnown && texts.known === undefined)
    mistakes.push('--update-known: expected --known FILE too, which it writes');
  if (mistakes.length > 0 || occurrences === undefined || jobs === undefined) return { mistakes };
  const { out = 'sweep' } = texts;
  return { options: { operations, kinds, occurrences, quick, jobs, budgetMs, timeoutMs, out } };
}

function toGlobList(given: readonly string[] | undefined): readonly string[] | undefined {
  return given?.flatMap((text) => text.split(',')).map((glob) => glob.trim());
}

function parseOccurrences(text: string): number | string {
  if (text === 'first') return 1;
  if (text === 'each') return unlimited;
  return parseWhole(text, unlimited) ?? `--occurrences: expected first, each or a number from 1, got ${quote(text)}`;
}

function parseJobs(text: string | undefined, hasFixedPort: boolean): number | string {
  if (text === undefined) return hasFixedPort ? 1 : Math.max(2, availableParallelism());
  const jobs = parseWhole(text, maxJobs);
  if (jobs === undefined) return `--jobs: expected a number from 1 to ${maxJobs}, got ${quote(text)}`;
  if (jobs > 1 && hasFixedPort)
    return `--jobs: expected 1, because all sandboxes use the port that is given; got ${jobs}`;
  return jobs;
}

function parseWhole(text: string, max: number): number | undefined {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  return number >= 1 && number <= max ? number : undefined;
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 64));
}

/** Returns the given options that change how cases run, for the command that repeats one. */
export function toOptionWords({ jobs, timeout, out }: SweepTexts): readonly string[] {
  const given = { '--jobs': jobs, '--timeout': timeout, '--out': out };
  return Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
}

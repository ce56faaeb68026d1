/** Parses the options of `sweep` that other commands do not have. Reports all mistakes. */
import { availableParallelism } from 'node:os';
import { operationIds } from '../../operations/index.ts';
import { allCaseKinds } from '../../scenarios/cases.ts';
import { findUnmatched, matchesAny } from '../../scenarios/glob.ts';
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
  /** Globs of kinds, or of kinds with a number, such as `status-503/1`; undefined for all. */
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

/** Cases without an upper limit. */
const unlimited = Number.MAX_SAFE_INTEGER;

/** The folder of a sweep. */
export const defaultFolder = 'sweep';

/** Maximum number of commands that run at a time. */
const maxJobs = 256;

/**
 * Parses the options, and adds their mistakes. `hasFixedPort`: whether the sandboxes listen on a given port, so that only
 * one can run at a time.
 */
export function parseSweepOptions(texts: SweepTexts, hasFixedPort: boolean, mistakes: string[]): SweepOptions {
  const { quick = false, out = defaultFolder } = texts;
  const operations = toGlobList(texts.operation);
  mistakes.push(...findUnmatched('--operation', 'operation', operations, operationIds));
  const kinds = toGlobList(texts.kind);
  // A profile may add statuses: those are checked once the cases are known.
  const fixedKinds = kinds?.map((glob) => glob.replace(/\/.*/, '')).filter((glob) => !glob.startsWith('status-'));
  mistakes.push(...findUnmatched('--kind', 'kind of failure', fixedKinds, allCaseKinds));
  const options = {
    ...{ operations, kinds, quick, out },
    occurrences: parseOccurrences(texts.occurrences ?? toOccurrences(kinds), mistakes),
    jobs: parseJobs(texts.jobs, hasFixedPort, mistakes),
    budgetMs: parseTime('--budget', texts.budget, mistakes),
    timeoutMs: parseTime('--timeout', texts.timeout, mistakes),
  };
  if (quick && texts.occurrences !== undefined)
    mistakes.push('--occurrences: --quick runs one case of each kind; remove one of the two');
  if (texts.updateKnown && texts.known === undefined)
    mistakes.push('--update-known: expected --known FILE too, which it writes');
  return options;
}

function toGlobList(given: readonly string[] | undefined): readonly string[] | undefined {
  return given?.flatMap((text) => text.split(',')).map((glob) => glob.trim());
}

/** Whether a case is of one of the kinds. `id`: `OPERATION/KIND/N`, or `OPERATION/KIND/always`. */
export function isOfKinds(globs: readonly string[] | undefined, id: string): boolean {
  const [, kind = '', which] = id.split('/');
  return matchesAny(globs, kind) || matchesAny(globs, `${kind}/${which}`);
}

/** Returns the last occurrence that a kind names, such as 2 of `status-503/2`. */
function toOccurrences(kinds: readonly string[] = []): string {
  const numbers = kinds.map((kind) => Number(/\/(\d{1,6})$/.exec(kind)?.[1] ?? 1));
  return String(Math.max(1, ...numbers));
}

function parseOccurrences(text: string, mistakes: string[]): number {
  const number = text === 'first' ? 1 : text === 'each' ? unlimited : parseWhole(text, unlimited);
  if (number === 0) mistakes.push(`--occurrences: expected first, each or a number from 1, got ${quote(text)}`);
  return number;
}

function parseJobs(text: string | undefined, hasFixedPort: boolean, mistakes: string[]): number {
  if (text === undefined) return hasFixedPort ? 1 : Math.max(2, availableParallelism());
  const jobs = parseWhole(text, maxJobs);
  if (jobs === 0) mistakes.push(`--jobs: expected a number from 1 to ${maxJobs}, got ${quote(text)}`);
  if (jobs > 1 && hasFixedPort)
    mistakes.push(`--jobs: expected 1, because all sandboxes use the port that is given; got ${jobs}`);
  return jobs;
}

/** Returns a number from 1 to `max`; 0 if the text is none. */
function parseWhole(text: string, max: number): number {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  return number <= max ? number : 0;
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 64));
}

/** Returns the given options that change how cases run, for the command that repeats one. */
export function toOptionWords({ jobs, timeout, out }: SweepTexts): readonly string[] {
  const given = { '--jobs': jobs, '--timeout': timeout, '--out': out };
  return Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
}

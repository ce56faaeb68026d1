/** What came of a request that was tried, in one line. */
import { readJson } from '../data/mistakes.ts';

interface Failure {
  readonly id: string;
  readonly reason: string;
}

interface Answer {
  readonly message?: unknown;
  readonly failed?: readonly Failure[];
  readonly jobs?: readonly unknown[];
  readonly orders?: readonly unknown[];
}

/** Longer reasons are cut: the answer below has all of it. */
const longestReason = 90;

export function outcomeOf(status: number, text: string): string {
  const { message, failed, jobs, orders } = (readJson(text) ?? {}) as Answer;
  const entries = jobs ?? orders;
  if (Array.isArray(entries) && Array.isArray(failed)) return `${status}: ${ofEntries(status, entries, failed)}`;
  if (typeof message === 'string') return `${status}: ${cut(message)}`;
  return status < 300 ? `${status}: done` : String(status);
}

/** Those of an asynchronous operation are only taken; a synchronous one has carried them out. */
function ofEntries(status: number, { length }: readonly unknown[], failed: readonly Failure[]): string {
  const [good, bad] = status === 202 ? ['taken', 'refused'] : ['done', 'failed'];
  const told = failed.length === 0 ? '' : `, ${failed.length} ${bad} (${failuresOf(failed)})`;
  return `${length} ${good}${told}`;
}

/** The first of them, and how many more there are. */
export function failuresOf(failed: readonly Failure[]): string {
  const [first, ...more] = failed;
  if (first === undefined) return '';
  const told = first.id === '' ? first.reason : `${first.id}: ${first.reason}`;
  return more.length === 0 ? cut(told) : `${cut(told)}, and ${more.length} more`;
}

function cut(text: string): string {
  return text.length > longestReason ? `${text.slice(0, longestReason).trimEnd()}…` : text;
}

/** Describes the outcome of a tried request in one line. */
import { type FailedEntry, readJson } from '../../data/response-body.ts';

interface ResponseBody {
  readonly message?: unknown;
  readonly failed?: readonly FailedEntry[];
  readonly jobs?: readonly unknown[];
  readonly orders?: readonly unknown[];
}

/** Maximum length of a reason. The response below shows the whole text. */
const maxReasonLength = 90;

export function outcomeOf(status: number, text: string): string {
  const { message, failed, jobs, orders } = (readJson(text) ?? {}) as ResponseBody;
  const entries = jobs ?? orders;
  if (Array.isArray(entries) && Array.isArray(failed)) return `${status}: ${describeEntries(status, entries, failed)}`;
  if (typeof message === 'string') return `${status}: ${cut(message)}`;
  return status < 300 ? `${status}: succeeded` : String(status);
}

/** Entries of an asynchronous operation are only accepted. A synchronous operation has applied them. */
function describeEntries(status: number, { length }: readonly unknown[], failed: readonly FailedEntry[]): string {
  const [good, bad] = status === 202 ? ['accepted', 'rejected'] : ['succeeded', 'failed'];
  const failure = failed.length === 0 ? '' : `, ${failed.length} ${bad} (${failuresOf(failed)})`;
  return `${length} ${good}${failure}`;
}

/** Returns the first failure, and the number of further ones. */
export function failuresOf(failed: readonly FailedEntry[]): string {
  const [first, ...more] = failed;
  if (first === undefined) return '';
  const failure = first.id === '' ? first.reason : `${first.id}: ${first.reason}`;
  return more.length === 0 ? cut(failure) : `${cut(failure)}, and ${more.length} more`;
}

function cut(text: string): string {
  return text.length > maxReasonLength ? `${text.slice(0, maxReasonLength).trimEnd()}…` : text;
}

/** Says why a request was not processed: the mistakes of its entries with one id, or the message of its response. */
import type { JournalEntry } from '../../journal/entry.ts';
import type { Json } from '../../lib/json.ts';
import { parseBody } from '../named-records.ts';

/** Maximum number of mistakes in one reason. */
const maxMistakes = 5;

/** `naming`: the entries of the body that have the id. */
export function toReason(
  { status, fault, problem, responseBody }: JournalEntry,
  naming: readonly { readonly place: string }[],
): string {
  if (status >= 200 && status <= 299)
    return `a scenario responded with ${status} in place of the API, and the request was not processed`;
  if (status === 0) return `a scenario broke the connection (${fault ?? 'reset'}) before the request was processed`;
  const { message, errors } = (problem ?? parseBody(responseBody)) as {
    readonly message?: unknown;
    readonly errors?: unknown;
  };
  const mistakes = (Array.isArray(errors) ? (errors as readonly Json[]) : []).filter(({ path }) =>
    naming.some(({ place }) => place === '' || path === place || String(path).startsWith(`${place}/`)),
  );
  const own = mistakes.slice(0, maxMistakes).map(({ path, message: text }) => `${path}: ${text}`);
  if (own.length > 0) return own.join('; ');
  return typeof message === 'string' ? message : `the response has the status ${status}`;
}

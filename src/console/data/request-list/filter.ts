/** The filters of the list of requests: what the sandbox is asked, and which new requests match. */
import { projectPath } from '../client.ts';
import type { RequestRow } from '../request-row.ts';

type Query = Readonly<Record<string, string>>;

/** Parameters of the URL that the sandbox understands as they are. */
const filterKeys = ['status', 'outcome', 'operation', 'scenario', 'method', 'entity', 'within', 'from', 'to'] as const;

/** Returns the path that lists the requests of a selection, newest first. */
export function listPath(query: Query, limit: number, others: Query = {}): string {
  const { project = '', q = '' } = query;
  const chosen = filterKeys.map((key) => [key, query[key] ?? ''] as const).filter(([, value]) => value !== '');
  const search = new URLSearchParams([...chosen, ...(q === '' ? [] : [['contains', q.slice(0, 200)]])] as [
    string,
    string,
  ][]);
  for (const [key, value] of Object.entries({ view: 'rows', order: 'newest', limit: String(limit), ...others })) {
    if (value !== '') search.set(key, value);
  }
  return `${project === '' ? '' : projectPath(project)}/requests?${search}`;
}

/** Identifies the selection: a list of another selection has other rows. The order does not belong to it. */
export function selectionOf(query: Query): string {
  return JSON.stringify(['project', 'q', ...filterKeys].map((key) => query[key] ?? ''));
}

export function isFiltered(query: Query): boolean {
  return ['q', ...filterKeys].some((key) => (query[key] ?? '') !== '');
}

/** Returns whether a new request matches; undefined if only the sandbox can decide. */
export function matchesRow(row: RequestRow, query: Query): boolean | undefined {
  const { project = '', q = '', entity = '', from = '', to = '' } = query;
  if (project !== '' && row.project !== project) return false;
  const has = (key: string, ...values: readonly string[]): boolean => {
    const chosen = query[key] ?? '';
    return chosen === '' || chosen.split(',').some((one) => values.includes(one));
  };
  const isMatch =
    has('operation', row.operation ?? 'none') &&
    has('method', row.method) &&
    has('status', String(row.status), `${Math.floor(row.status / 100)}xx`) &&
    has('scenario', ...row.scenarios) &&
    has('outcome', ...outcomesOf(row)) &&
    (from === '' || row.at >= from) &&
    (to === '' || row.at <= to);
  if (!isMatch) return false;
  if (q !== '') return undefined;
  if (entity === '' || has('entity', ...row.ids)) return true;
  return row.idCount > row.ids.length ? undefined : false;
}

/** Returns the outcomes by which lists filter. A request can have several. */
function outcomesOf({ status, entries, warnings, fault }: RequestRow): readonly string[] {
  const { accepted, refused, failed, pending } = entries;
  const isSuccess = status >= 200 && status < 300;
  return Object.entries({
    accepted: isSuccess && (accepted > 0 || refused + failed === 0),
    rejected: (status >= 400 && status < 500) || refused > 0,
    failed: status >= 500 || status === 0 || failed > 0,
    pending: pending > 0,
    warned: warnings > 0,
    faulted: fault !== null,
  }).flatMap(([name, isMatch]) => (isMatch ? [name] : []));
}

/** Puts ids into example bodies: new ids for what they create, and ids of records for what they update. */

export interface FilledBody {
  readonly text: string;
  /** The ids that were put in. */
  readonly ids: readonly string[];
}

const idLength = 6;

/** Returns a function whose every result differs, also after the page was loaded again, for about 25 days. */
export function createIdSource(now: () => number): () => string {
  let last = 0;
  return () => {
    last = Math.max(now(), last + 1);
    return (last % 36 ** idLength).toString(36).padStart(idLength, '0');
  };
}

/** Fills each id of an example: `toId` receives the example's id and its position among all. */
export function fillExample(value: unknown, toId: (id: string, index: number) => string): FilledBody {
  const text = JSON.stringify(value, null, 2) ?? '';
  const olds = [...new Set(idsOf(value))];
  const ids = olds.map(toId);
  return { text: replaceAll(text, olds, ids), ids };
}

/** Replaces ids that an earlier call put in, as far as the user kept them. */
export function renewIds({ text, ids }: FilledBody, next: () => string): FilledBody {
  const olds = ids.filter((id) => text.includes(JSON.stringify(id)));
  const news = olds.map((id) => toFreshId(id, next()));
  return { text: replaceAll(text, olds, news), ids: news };
}

/** Replaces the last part of an id: `JOB-20931` becomes `JOB-4F7K2Q`. The part before it decides about magic ids. */
export function toFreshId(id: string, unique: string): string {
  const cased = /[A-Z]/.test(id) ? unique.toUpperCase() : unique;
  return id.includes('-') ? id.replace(/[^-]*$/, cased) : `${id}-${cased}`;
}

/** Lists the ids of the records in a body, in their order. */
function idsOf(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { id, username, jobId, orderId, jobs, orders, routes } = value as Readonly<Record<string, unknown>>;
  // The ids of jobs and orders are here if a profile moved them out of the path.
  const own = [id, username, jobId, orderId].filter((one) => typeof one === 'string');
  const entries = [jobs, orders, routes].flatMap((list) => (Array.isArray(list) ? list : []));
  return [...own, ...entries.flatMap(idsOf)];
}

/** Replaces all texts at once, the longest first, so that none is found within another. */
function replaceAll(text: string, olds: readonly string[], news: readonly string[]): string {
  if (olds.length === 0) return text;
  const byLength = [...olds].sort((one, other) => other.length - one.length);
  const pattern = new RegExp(byLength.map((one) => one.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'g');
  return text.replace(pattern, (found) => news[olds.indexOf(found)] ?? found);
}

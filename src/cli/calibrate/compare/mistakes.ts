/** Finds what the document does not allow and the real API accepts. */
import type { Violation } from '../../../lib/problem.ts';
import { isObject } from '../exchange.ts';
import { type Case, valueAt } from '../play/play.ts';
import type { DifferenceKind } from './difference.ts';
import { failuresOf } from './entries.ts';

/** A mistake in a request that the real API accepts. */
export interface AcceptedMistake {
  readonly kind: DifferenceKind;
  readonly expected: string;
  readonly seen: string;
  /** The value that the document does not allow; undefined if it is missing. */
  readonly value: unknown;
  /** The ids of the entries that have it, the outermost first. */
  readonly ids: readonly string[];
  readonly violation: Violation;
}

/** Maximum length of a value in a report. */
const maxLength = 80;

/** Returns the mistakes of a request in parts that the real API accepts. */
export function findAccepted({ mapped: { exchange }, mistakes }: Case): readonly AcceptedMistake[] {
  const { body } = exchange.response;
  const failed = new Set(failuresOf(body?.value)?.map(({ id }) => id));
  return mistakes.flatMap((violation): readonly AcceptedMistake[] => {
    if (violation.keyword === undefined) return [];
    const ids = idsOn(exchange.body?.value, violation.path);
    const value = valueAt(exchange.body?.value, violation.path);
    return ids.some((id) => failed.has(id)) ? [] : [{ ...describe(violation, value), value, ids, violation }];
  });
}

/** Returns the ids of the entries on a path, such as of a route and its job. A failure without an id has an empty one. */
function idsOn(body: unknown, path: string): readonly string[] {
  const places = [...path.matchAll(/\/\d+(?=\/|$)/g)].map(({ index, 0: { length } }) => path.slice(0, index + length));
  return places.map((place) => {
    const entry = valueAt(body, place);
    return isObject(entry) ? String(entry['id'] ?? '') : '';
  });
}

function describe(
  { path, keyword, params = {} }: Violation,
  value: unknown,
): Pick<AcceptedMistake, 'kind' | 'expected' | 'seen'> {
  const place = path.replace(/\/\d+(?=\/|$)/g, '/*');
  if (keyword === 'required')
    return { kind: 'required field', expected: `${place} is required`, seen: 'accepted without' };
  if (keyword === 'additionalProperties')
    return { kind: 'unknown field', expected: 'not in the document', seen: place };
  const expected = `${place}: ${keyword} ${Object.values(params).flat().join(', ')}`;
  const seen = JSON.stringify(value)?.slice(0, maxLength) ?? 'accepted';
  return { kind: keyword === 'enum' || keyword === 'const' ? 'enum value' : 'status', expected, seen };
}

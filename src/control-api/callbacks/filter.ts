/** Filters the callbacks of a project by the query of a list, and counts what each filter would show. */
import { type Callback, callbackTypes } from '../../callbacks/callback.ts';
import { didYouMean } from '../../lib/nearest.ts';
import type { Problem } from '../../lib/problem.ts';
import type { components } from '../../openapi/control.gen.ts';
import { quote } from '../../openapi/explain.ts';
import { operationIds } from '../../operations/index.ts';
import { type ControlRequest, reject } from '../handler.ts';

type CallbackTest = (callback: Callback) => boolean;

/** The filters whose values lists count. */
const facetNames = ['state', 'type', 'operation'] as const;

export interface CallbackFilter {
  matches(callback: Callback): boolean;
  /** Counts callbacks by each facet, under all filters except that facet's own. */
  count(callbacks: readonly Callback[]): components['schemas']['CallbackCounts'];
}

/** Returns the problem of a query that names an unknown type or operation, or undefined. */
export function checkNames(query: ControlRequest['query']): { readonly problem: Problem } | undefined {
  return (
    checkKnown(query, 'type', 'a type of callbacks', callbackTypes) ??
    checkKnown(query, 'operation', 'an operationId', operationIds)
  );
}

function checkKnown(query: ControlRequest['query'], name: string, expected: string, known: readonly string[]) {
  const unknown = query[name] === undefined ? undefined : toList(query[name]).find((one) => !known.includes(one));
  if (unknown === undefined) return undefined;
  return reject('invalid', `expected ${expected}, got ${quote(unknown)}${didYouMean(unknown, known)}`, `query:${name}`);
}

function toList(query: unknown): readonly string[] {
  return String(query).split(',');
}

/** Creates the filter of a list of callbacks after a change. */
export function createCallbackFilter(query: ControlRequest['query'], after: number): CallbackFilter {
  const facets = facetNames.map((name) => ({ name, test: toTest(query[name], (callback) => callback[name]) }));
  const isRequest = toTest(query['requestId'], ({ requestId }) => requestId);
  const entities = query['entity'] === undefined ? undefined : new Set(toList(query['entity']));
  const text = query['contains'] === undefined ? undefined : String(query['contains']).toLowerCase();
  const isOther: CallbackTest = (callback) =>
    callback.change > after &&
    isRequest(callback) &&
    (!entities || names(callback, entities)) &&
    (text === undefined || contains(callback, text));

  return {
    matches: (callback) => isOther(callback) && facets.every(({ test }) => test(callback)),
    count: (callbacks) => {
      const counts = { total: 0, state: {}, type: {}, operation: {} };
      for (const callback of callbacks) {
        if (!isOther(callback)) continue;
        const failed = facets.filter(({ test }) => !test(callback));
        if (failed.length === 0) counts.total += 1;
        for (const { name } of facets) {
          if (failed.every((one) => one.name === name)) add(counts[name], callback[name]);
        }
      }
      return counts;
    },
  };
}

/** Returns a test for one of several values, separated by commas. */
function toTest(query: unknown, fieldOf: (callback: Callback) => string): CallbackTest {
  if (query === undefined) return () => true;
  const values = new Set(toList(query));
  return (callback) => values.has(fieldOf(callback));
}

function names({ body: { data } }: Callback, ids: ReadonlySet<string>): boolean {
  return data.failed.some(({ id }) => ids.has(id)) || data.succeeded?.some(({ id }) => ids.has(id)) === true;
}

function contains({ id, type, operation, requestId, body: { data } }: Callback, text: string): boolean {
  const isIn = (one: string): boolean => one.toLowerCase().includes(text);
  if ([id, type, operation, requestId].some(isIn)) return true;
  return (
    data.failed.some((one) => isIn(one.id) || isIn(one.reason)) || data.succeeded?.some((one) => isIn(one.id)) === true
  );
}

function add(counts: Record<string, number>, value: string): void {
  counts[value] = (counts[value] ?? 0) + 1;
}

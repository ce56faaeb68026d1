/** Defines an exchange: a request of the traffic with its response, without secrets. */
import { isObject, type Json } from '../../lib/json.ts';
import { type OperationId, operations } from '../../operations/index.ts';

/** The body of a message. `value` is set if it is JSON. */
export interface Content {
  readonly text: string;
  readonly value?: unknown;
}

export interface Exchange {
  /** Where the exchange was read: the file, and the index of its entry from 0. */
  readonly file: string;
  readonly index: number;
  /** Time of the request in milliseconds since 1970; undefined if the entry has none. */
  readonly atMs: number | undefined;
  readonly method: string;
  readonly host: string;
  /** Path without the query, as it was sent. */
  readonly path: string;
  /** Path and query without secrets. */
  readonly url: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Headers by lower-case name, without secrets. */
  readonly headers: Readonly<Record<string, string>>;
  /** The number of the API key among the keys of the traffic; undefined if the request has none. */
  readonly key: number | 'masked' | undefined;
  readonly body: Content | undefined;
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Content | undefined;
    /** Whether the archive has no body although the response may have had one. */
    readonly isBodyUnknown: boolean;
  };
}

/** An exchange with its operation. */
export interface MappedExchange {
  readonly exchange: Exchange;
  readonly operation: OperationId;
  readonly identifiers: Readonly<Record<string, string>>;
}

/** An entry that cannot be used. */
export interface BrokenEntry {
  readonly file: string;
  readonly index: number;
  readonly reason: string;
}

/** Returns the bodies that are JSON objects. */
export function objectsIn(bodies: readonly (Content | undefined)[]): readonly Json[] {
  return bodies.map((body) => body?.value).filter(isObject);
}

export interface Failure {
  readonly id: string;
  readonly reason: string;
}

/** Returns the entries of a request's list, or its body as the only entry. */
export function entriesOf({ exchange, operation }: MappedExchange): readonly Json[] {
  const { list } = operations[operation];
  const value = exchange.body?.value;
  return [list !== undefined && isObject(value) ? value[list] : value].flat().filter(isObject);
}

/** Returns the failed entries of a batch result, or undefined for other values. */
export function failuresOf(value: unknown): readonly Failure[] | undefined {
  const failed = isObject(value) ? value['failed'] : undefined;
  if (!Array.isArray(failed)) return undefined;
  return failed.filter(isObject).map(({ id, reason }) => ({ id: String(id ?? ''), reason: String(reason ?? '') }));
}

/** Returns the failures that only one side has; none if one of the values is no batch result. */
export function compareFailures(
  ours: unknown,
  real: unknown,
): { readonly onlyOurs: readonly Failure[]; readonly onlyReal: readonly Failure[] } {
  const [ownFailures, realFailures] = [failuresOf(ours), failuresOf(real)];
  if (!ownFailures || !realFailures) return { onlyOurs: [], onlyReal: [] };
  const without = (some: readonly Failure[], others: readonly Failure[]): readonly Failure[] =>
    some.filter(({ id }) => others.every((one) => one.id !== id));
  return { onlyOurs: without(ownFailures, realFailures), onlyReal: without(realFailures, ownFailures) };
}

/** Names an exchange in reports, such as `traffic.har#12`. */
export function toExampleName({ file, index }: Pick<Exchange, 'file' | 'index'>): string {
  return `${file}#${index}`;
}

/** Returns the most frequent value, or undefined if there is none. */
export function findMajority<Value>(
  values: readonly Value[],
): { readonly value: Value; readonly count: number } | undefined {
  const counts = new Map<Value, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, count]) => ({ value, count })).toSorted((a, b) => b.count - a.count)[0];
}

/** Escapes a text for a regular expression. */
export function toPatternText(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Finds the identifiers of requests outside of their paths: in the query, in a header or in the body. */
import { type Exchange, isObject } from '../exchange.ts';
import type { Place } from './endpoint.ts';
import type { IdentifierName } from './facts.ts';

/** Names of query parameters and parts of header names, without separators and in lower case. */
const names: Readonly<Record<IdentifierName, RegExp>> = {
  projectId: /^(x)?(project|proj|tenant|account)(id|name|key)?$/,
  subProjectId: /^(x)?sub(project|proj)?(id|name)?$/,
  jobId: /^(x)?(job|task)(id)?$/,
  orderId: /^(x)?(order)(id|number)?$/,
  username: /^(x)?(user)(name|id)?$/,
};

/** Share of the requests that must have an identifier at a place; the others may lack it by mistake. */
const minShare = 0.7;

/** Returns the place of an identifier in these requests, or undefined if it has none. */
export function findPlace(exchanges: readonly Exchange[], identifier: IdentifierName): Place | undefined {
  const pattern = names[identifier];
  const isNamed = (name: string): boolean => pattern.test(name.toLowerCase().replace(/[^a-z]/g, ''));
  const query = findFrequent(exchanges.flatMap((one) => one.query.map(([name]) => name).filter(isNamed)));
  if (isOften(query, exchanges.length)) return { in: 'query', name: query.name };
  const header = findFrequent(exchanges.flatMap(({ headers }) => Object.keys(headers).filter(isNamed)));
  if (isOften(header, exchanges.length)) return { in: 'header', name: header.name };
  const bodies = exchanges.flatMap(({ body }) => (isObject(body?.value) ? [body.value] : []));
  const inBody = bodies.filter((body) => typeof body[identifier] === 'string').length;
  return inBody > 0 && inBody >= bodies.length / 2 ? { in: 'body', name: identifier } : undefined;
}

type Counted = { readonly name: string; readonly count: number };

function isOften(found: Counted | undefined, total: number): found is Counted {
  return found !== undefined && found.count >= total * minShare;
}

function findFrequent(texts: readonly string[]): Counted | undefined {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const [first] = [...counts].toSorted(([, a], [, b]) => b - a);
  return first && { name: first[0], count: first[1] };
}

/** Collects what the requests and responses of an endpoint show about its operation, and scores operations by it. */
import { type Exchange, isObject } from '../exchange.ts';
import type { OperationFact } from './facts.ts';

/** What the exchanges of one endpoint have in common. */
export interface Evidence {
  readonly method: string;
  /** Lower-case words of the path. */
  readonly words: readonly string[];
  /** Number of bodies that are objects. */
  readonly bodies: number;
  /** Number of bodies with each top-level field. */
  readonly fields: ReadonlyMap<string, number>;
  /** Number of results with each counter, and of successful results. */
  readonly results: Readonly<Record<'jobsReceived' | 'ordersReceived' | 'all', number>>;
  /** Share of 202 among the successful responses, or undefined without any. */
  readonly acceptedShare: number | undefined;
}

export function toEvidence(exchanges: readonly Exchange[], method: string, template: string): Evidence {
  const fields = new Map<string, number>();
  const bodies = exchanges.flatMap(({ body }) => (isObject(body?.value) ? [body.value] : []));
  for (const name of bodies.flatMap((body) => Object.keys(body))) fields.set(name, (fields.get(name) ?? 0) + 1);
  const successes = exchanges.filter(({ response }) => response.status < 300);
  const found = successes.flatMap(({ response: { body } }) => (isObject(body?.value) ? [body.value] : []));
  const accepted = successes.filter(({ response }) => response.status === 202).length;
  return {
    method,
    words: template.toLowerCase().split(/[^a-z]+/),
    bodies: bodies.length,
    fields,
    results: {
      jobsReceived: found.filter((result) => 'jobsReceived' in result).length,
      ordersReceived: found.filter((result) => 'ordersReceived' in result).length,
      all: found.length,
    },
    acceptedShare: successes.length > 0 ? accepted / successes.length : undefined,
  };
}

const lists = ['jobs', 'orders', 'routes', 'locations'] as const;

/** Returns how well an operation fits, or undefined if something contradicts it. */
export function scoreOf(fact: OperationFact, evidence: Evidence): number | undefined {
  if (isContradicted(fact, evidence)) return undefined;
  const { method, words, acceptedShare } = evidence;
  let score = method === fact.method ? 3 : 0;
  const isCreating = method === 'POST';
  if (isCreating === (fact.action === 'create')) score += 2;
  if (words.some((word) => actionWords[fact.action].test(word))) score += 2;
  score += scoreResource(fact, words) + scoreFields(fact, evidence);
  if (acceptedShare !== undefined) score += acceptedShare > 0.5 === (fact.mode === 'async') ? 2 : 0;
  if (words.includes(fact.mode)) score += 4;
  if (fact.path.includes('batch') && words.some((word) => word === 'batch' || word === 'bulk')) score += 1;
  return score;
}

/** Whether the bodies, results or words of an endpoint exclude an operation. */
export function isContradicted(fact: OperationFact, { bodies, fields, results, words }: Evidence): boolean {
  const opposite = fact.mode === 'async' ? 'sync' : 'async';
  if (words.includes(opposite) && !words.includes(fact.mode)) return true;
  const [list] = lists.filter((name) => (fields.get(name) ?? 0) > bodies / 2);
  if (bodies > 0 && list !== fact.list) return true;
  const { jobsReceived, ordersReceived, all } = results;
  if (jobsReceived > 0) return fact.counter !== 'jobsReceived';
  if (ordersReceived > 0) return fact.counter !== 'ordersReceived';
  return all > 0 && fact.counter !== undefined;
}

const actionWords = {
  create: /^(import|create|add|new|register|submit)/,
  update: /^(update|change|edit|modify|patch)/,
} as const;

const resourceWords: Readonly<Record<OperationFact['resource'], RegExp>> = {
  jobs: /^(job|task|deliver)/,
  orders: /^(order|collection|pickup)/,
  routes: /^(route|tour|trip)/,
  users: /^(user|account|member|staff|people|person|login)/,
  devices: /^(location|position|gps|device|track)/,
};

/** Whether a segment names a resource, so that it is no identifier. */
export function isResource(segment: string): boolean {
  return Object.values(resourceWords).some((pattern) => pattern.test(segment.toLowerCase()));
}

/** Scores the words of the path that name a resource. */
function scoreResource(fact: OperationFact, words: readonly string[]): number {
  const named = Object.entries(resourceWords).filter(([, pattern]) => words.some((word) => pattern.test(word)));
  if (named.length === 0) return 0;
  return named.some(([resource]) => resource === fact.resource) ? 3 : -3;
}

/** Scores the share of the bodies' fields that the operation has. */
function scoreFields(fact: OperationFact, { fields }: Evidence): number {
  const all = [...fields].reduce((sum, [, count]) => sum + count, 0);
  const known = [...fields].reduce((sum, [name, count]) => sum + (fact.fields.has(name) ? count : 0), 0);
  return all === 0 ? 0 : (8 * known) / all;
}

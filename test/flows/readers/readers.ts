/** What each part of the sandbox that shows requests and callbacks says about them, as rows that can be compared. */
import { startSandbox } from '../../../src/index.ts';
import type { SeenEvent } from '../../harness/event-reader.ts';
import { control, main } from './story.ts';

/** The facts about a request. A reader has a part of them. */
export interface RequestFacts {
  readonly id: string;
  readonly project: string | null;
  readonly change: number | null;
  readonly operation: string | null;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly fault: string | null;
  readonly answer: string;
  readonly warnings: number;
  readonly accepted: number;
  readonly refused: number;
  readonly failed: number;
  readonly pending: number;
  readonly ids: readonly string[];
  /** Rules that fired, as SCENARIO/RULE. */
  readonly rules: readonly string[];
  readonly ruleCount: number;
  readonly scenarios: readonly string[];
  readonly callbacks: readonly string[];
}

/** The facts about a callback. */
export interface CallbackFacts {
  readonly id: string;
  readonly type: string;
  readonly state: string;
  readonly requestId: string;
  readonly operation: string;
  readonly ids: readonly string[];
  /** What became of each attempt: the status, an error, or `inbox`. */
  readonly attempts: readonly (number | string)[];
}

export type Requests = readonly Partial<RequestFacts>[];
export type Callbacks = readonly Partial<CallbackFacts>[];

// biome-ignore lint/suspicious/noExplicitAny: each reader has a format of its own
type Item = any;

const idsOf = (items: readonly { readonly id: string }[]): readonly string[] => items.map(({ id }) => id);
const pathOf = (url: string): string => new URL(url, 'http://sandbox').pathname;

interface FiredRule {
  readonly scenario: string;
  readonly rule: string;
  readonly fired: boolean;
}

const toRules = (rules: readonly FiredRule[]): readonly string[] =>
  rules.filter(({ fired }) => fired).map(({ scenario, rule }) => `${scenario}/${rule}`);

/** From an entry of the journal. */
export function fromEntry({ response, entries, ...entry }: Item): Partial<RequestFacts> {
  const { id, project, change, operation, method, path, status, fault, callbacks } = entry;
  const { refused, failed, pending } = entries;
  const rules = toRules(entry.rules);
  return {
    ...{ id, project, change, operation, method, path, status, fault, callbacks, refused, failed, pending },
    answer: response.body ?? '',
    warnings: entry.warnings.length,
    rules,
    ruleCount: rules.length,
    scenarios: [...new Set<string>(rules.map((rule) => rule.replace(/\/.*/, '')))],
  };
}

function fromRow({ entries, callbacks, ...row }: Item): Partial<RequestFacts> {
  const { id, project, change, operation, method, path, status, fault, ids, warnings, scenarios } = row;
  const facts = { id, project, change, operation, method, path, status, fault, ids, warnings, scenarios };
  return { ...facts, ...entries, callbacks: idsOf(callbacks) };
}

function fromProblem({ id, project, operation, method, path, status, fault, ...problem }: Item): Partial<RequestFacts> {
  const { warnings, rules, failedCount } = problem;
  const facts = { id, project, operation, method, path, status, fault };
  return { ...facts, warnings: warnings.length, rules: toRules(rules), refused: failedCount };
}

/** From an entry of an HTTP archive. */
export function fromHar({ request, response, ...entry }: Item): Partial<RequestFacts> {
  const { status, content } = response;
  return {
    id: entry._requestId,
    operation: entry._operation ?? null,
    method: request.method,
    path: pathOf(request.url),
    status,
    fault: entry._fault ?? null,
    answer: content.text,
  };
}

/** From an event `request`. */
export function fromEvent({ data }: SeenEvent): Partial<RequestFacts> {
  const { rules, durationMs, at, idCount, ...facts } = data as Item;
  return { ...facts, ruleCount: rules };
}

const toResult = ({ status, error }: Item): number | string => error ?? status ?? 'inbox';

export function fromCallback({ id, type, state, requestId, operation, body, attempts }: Item): Partial<CallbackFacts> {
  return { id, type, state, requestId, operation, ids: idsOf(body.data.failed), attempts: attempts.map(toResult) };
}

function fromCallbackRow({ id, type, state, requestId, operation, ids, attempts }: Item): Partial<CallbackFacts> {
  return { id, type, state, requestId, operation, ids, attempts: attempts.map(toResult) };
}

/** Reads a recording. Requests are in the order of their changes. */
export function fromRecording({ changes }: Item): { readonly requests: Requests; readonly callbacks: Callbacks } {
  const ofKind = (kind: string): Item[] => changes.filter((change: Item) => change.kind === kind);
  return {
    requests: ofKind('request').map(({ id, n, request, response }) => ({
      id,
      change: n,
      method: request.method,
      path: pathOf(request.url),
      status: response.status,
      fault: response.fault ?? null,
      answer: response.body ?? '',
    })),
    callbacks: ofKind('callback').map(({ id, state, requestId, body, attempts }) => ({
      ...{ id, state, requestId, type: body.type },
      ids: idsOf(body.data.failed),
      attempts: attempts.map(toResult),
    })),
  };
}

/** Reads a list page by page. */
async function readPages(url: string, path: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page: Item = await control(url, 'GET', `${path}&limit=7${cursor && `&cursor=${cursor}`}`);
    items.push(...page.items);
    cursor = page.next;
  }
  return items;
}

/** The readers of the journal of all projects. */
export const requestReaders: Readonly<Record<string, (url: string) => Promise<Requests>>> = {
  pages: async (url) => (await readPages(url, '/requests?bodies=true')).map(fromEntry),
  rows: async (url) => (await control(url, 'GET', '/requests?limit=1000&view=rows')).items.map(fromRow),
  'newest first': async (url) => (await readPages(url, '/requests?order=newest&view=rows')).map(fromRow).toReversed(),
  problems: async (url) => (await control(url, 'GET', '/requests?limit=1000&view=problems')).items.map(fromProblem),
};

/** The readers of the requests of the project `story` that reached it, or name it. */
export const projectReaders: typeof requestReaders = {
  list: async (url) => (await readPages(url, `/projects/${main}/requests?strays=true`)).map(fromEntry),
  kit: async () => {
    const sandbox = await startSandbox();
    return (await sandbox.project(main).requests.list({ strays: true })).map(fromEntry);
  },
};

export const callbackReaders: Readonly<Record<string, (url: string) => Promise<Callbacks>>> = {
  list: async (url) => (await readPages(url, `/projects/${main}/callbacks?order=oldest`)).map(fromCallback),
  rows: async (url) => (await control(url, 'GET', `/projects/${main}/callbacks?view=rows`)).items.map(fromCallbackRow),
  kit: async () => {
    const sandbox = await startSandbox();
    return (await sandbox.project(main).callbacks.list()).map(fromCallback);
  },
  recording: async (url) => fromRecording(await control(url, 'GET', `/projects/${main}/recording`)).callbacks,
};

/** Counts the values of a fact, as lists and metrics do. */
export function countBy<Row>(rows: readonly Row[], toNames: (row: Row) => string | readonly string[]): object {
  const counts: Record<string, number> = {};
  for (const name of rows.flatMap((row) => toNames(row))) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** Returns the series of a metric whose values are not 0, by their labels. */
export function toSeries(metrics: string, name: string): object {
  const lines = metrics.split('\n').filter((line) => line.startsWith(`${name}{`) && !line.endsWith(' 0'));
  return Object.fromEntries(
    lines.map((line) => {
      const labels = [...line.matchAll(/"([^"]*)"/g)].map(([, value]) => value);
      return [labels.join(' '), Number(line.split(' ').at(-1))];
    }),
  );
}

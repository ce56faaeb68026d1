/** The control API's view of the journal: lists that can wait, and every request explained. */
import type { components } from '../../contract/control.gen.ts';
import type { JournalEntry } from '../../journal/journal.ts';
import type { World } from '../../world.ts';
import { toPage } from '../page.ts';
import { awaitEnough } from './awaiting.ts';
import {
  badCursor,
  type ControlHandlers,
  type ControlParts,
  type ControlRequest,
  ok,
  projectOf,
  refuse,
} from './handler.ts';
import { changedBy, namedBy } from './named-records.ts';

type RequestSummary = components['schemas']['RequestSummary'];

/** Longer bodies are shown cut. */
const longestShown = 256 * 1024;

function showBody(body: string | undefined): { body?: string; bodyCut?: number } {
  if (body === undefined || body.length === 0) return {};
  const size = Buffer.byteLength(body);
  if (size <= longestShown) return { body };
  return { body: `${body.slice(0, longestShown)}… (cut: ${size.toLocaleString('en')} bytes in all)`, bodyCut: size };
}

/** What came of a request after its answer. */
interface Aftermath {
  /** The ids of the callbacks that tell of it. */
  readonly callbacks: string[];
  /** How many of its entries they say have failed. */
  failed: number;
  /** How many are still to be carried out, or to fail. */
  pending: number;
}

/** An entry as it is shown. */
function show(entry: JournalEntry, aftermath: Aftermath | undefined, withBodies: boolean = true): RequestSummary {
  const toBody = (body: string | undefined) => (withBodies ? showBody(body) : {});
  const { callbacks = [], failed = 0, pending = 0 } = aftermath ?? {};
  return {
    id: entry.id,
    at: entry.at,
    project: entry.project ?? null,
    operation: entry.operation ?? null,
    method: entry.method,
    path: entry.url.split('?')[0] ?? '',
    status: entry.status,
    fault: entry.fault ?? null,
    durationMs: Math.round(entry.durationMs * 1000) / 1000,
    warnings: [...entry.warnings],
    entries: { refused: entry.refused, failed, pending },
    rules: entry.explain().map(({ scenario, rule, fired, why }) => ({ scenario, rule, fired, why })),
    request: {
      method: entry.method,
      url: entry.url,
      headers: { ...entry.requestHeaders },
      ...toBody(entry.requestBody?.read().shown),
    },
    response: { status: entry.status, headers: { ...entry.responseHeaders }, ...toBody(entry.responseBody) },
    callbacks: [...callbacks],
  };
}

/** What came of the requests of one project, or of all, by the requests' ids. */
function aftermaths(parts: ControlParts, project?: string): ReadonlyMap<string, Aftermath> {
  const worlds = project === undefined ? parts.worlds.list() : [parts.worlds.find(project)];
  const found = new Map<string, Aftermath>();
  const of = (requestId: string): Aftermath => {
    const known = found.get(requestId) ?? { callbacks: [], failed: 0, pending: 0 };
    found.set(requestId, known);
    return known;
  };
  for (const world of worlds) {
    for (const { id, requestId, body } of world?.data.callbacks.values() ?? []) {
      const one = of(requestId);
      one.callbacks.push(id);
      one.failed += body.data.failed.length;
    }
    for (const { what } of world?.data.due ?? []) {
      if (what.kind !== 'instruction') continue;
      const { requestId, task, failures } = what.instruction;
      of(requestId).pending += task.entries.length + failures.length;
    }
  }
  return found;
}

/** A list of requests, waiting where asked to until there are enough. */
async function list(parts: ControlParts, request: ControlRequest, project?: string) {
  const { query } = request;
  const { since, operation, status, record, contains, bodies } = query;
  let after = 0;
  if (since !== undefined) {
    const entry = parts.journal.list(project).find(({ id }) => id === since);
    if (!entry) return refuse('invalid', 'expected the id of a request that the journal still holds', 'query:since');
    after = entry.number;
  }
  const fitting = () =>
    parts.journal
      .list(project)
      .filter(
        (entry) =>
          entry.number > after &&
          (operation === undefined || entry.operation === operation) &&
          (status === undefined || entry.status === status) &&
          (contains === undefined || isFound(entry, String(contains))) &&
          (record === undefined || isNamed(entry, String(record), parts)),
      );
  const waited = await awaitEnough(parts, request, project, () => fitting().length, parts.journal);
  const came = aftermaths(parts, project);
  const page = toPage(
    fitting(),
    query,
    ({ number }) => number,
    (entry) => show(entry, came.get(entry.id), bodies !== false),
  );
  return page ? ok({ ...page, ...waited }) : badCursor;
}

/** Whether a text stands in a request or its answer, written so. */
function isFound({ id, url, requestBody, responseBody = '' }: JournalEntry, text: string): boolean {
  return [id, url, requestBody?.read().shown ?? '', responseBody].some((one) => one.includes(text));
}

function isNamed(entry: JournalEntry, record: string, { contract }: ControlParts): boolean {
  return namedBy(entry, contract).some(({ collection, id }) => `${collection}/${id}` === record);
}

/** One request, with the records that it has changed. */
function showOne(parts: ControlParts, entry: JournalEntry, world: World | undefined) {
  const changed = changedBy(entry, parts.contract, world);
  return ok({ ...show(entry, aftermaths(parts, world?.id ?? '').get(entry.id)), changed: [...changed] });
}

type RequestIds = 'listAllRequests' | 'getAnyRequest' | 'listRequests' | 'getRequest';

export const requestHandlers: ControlHandlers<RequestIds> = {
  listAllRequests: (parts, request) => list(parts, request),
  getAnyRequest: (parts, request) => {
    const id = request.params['id'] ?? '';
    const entry = parts.journal.list().find((one) => one.id === id);
    return entry
      ? showOne(parts, entry, entry.project === undefined ? undefined : parts.worlds.find(entry.project))
      : refuse('notFound', `the journal has no request ${id}`);
  },
  listRequests: (parts, request) => list(parts, request, projectOf(request)),
  getRequest: (parts, request) => {
    const project = projectOf(request);
    const id = request.params['id'] ?? '';
    const entry = parts.journal.find(project, id);
    return entry
      ? showOne(parts, entry, parts.worlds.find(project))
      : refuse('notFound', `the journal of this project has no request ${id}`);
  },
};

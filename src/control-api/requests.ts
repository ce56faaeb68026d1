/** Control API handlers for the journal: lists of requests, and single requests with explained rules. */
import controlDocument from '../../spec/control.yaml';
import type { JournalEntry } from '../journal/entry.ts';
import { shownProjectOf } from '../journal/journal.ts';
import type { ShownProblem } from '../lib/problem.ts';
import type { components } from '../openapi/control.gen.ts';
import type { Project } from '../project/project.ts';
import { awaitEnough } from './awaiting.ts';
import type { Caller } from './caller.ts';
import {
  badCursor,
  type ControlHandlers,
  type ControlParts,
  type ControlRequest,
  ok,
  okInPieces,
  projectOf,
  reject,
} from './handler.ts';
import { toHar } from './har.ts';
import { recordsChangedBy } from './named-records.ts';
import { asIs, toPage } from './page.ts';
import { countRequests } from './requests/count.ts';
import { findSince, type RequestTests, toRequestFilter } from './requests/filter.ts';
import { listEverywhere } from './requests/journal-list.ts';
import { findLaterEffects, type LaterEffects } from './requests/later-effects.ts';
import { type RequestProblem, toRequestProblem } from './requests/problem.ts';
import { type RequestRow, shownDurationOf, toRow } from './requests/row.ts';
import { scanRequests } from './requests/scan.ts';
import { toSortValue } from './requests/sort-values.ts';

const controlVersion = (controlDocument as { info: { version: string } }).info.version;

type RequestSummary = components['schemas']['RequestSummary'];

/** Maximum number of rules explained per request, in a list and for a single request. */
const maxRulesListed = 100;
const maxRulesShown = 10_000;

/** Maximum size of a shown body, in bytes; longer ones are truncated. */
const maxShownLength = 256 * 1024;

function showBody(body: string | undefined): { body?: string; bodyCut?: number } {
  if (body === undefined || body.length === 0) return {};
  const size = Buffer.byteLength(body);
  if (size <= maxShownLength) return { body };
  return {
    body: `${body.slice(0, maxShownLength)}… (truncated: ${size.toLocaleString('en')} bytes in total)`,
    bodyCut: size,
  };
}

function show(
  entry: JournalEntry,
  effects: LaterEffects | undefined,
  { withBodies, maxRules }: { readonly withBodies: boolean; readonly maxRules: number },
): RequestSummary {
  const explained = entry.explain(maxRules);
  const toBody = (body: string | undefined) => (withBodies ? showBody(body) : {});
  const { callbacks = [], failed = 0, pending = 0 } = effects ?? {};
  return {
    id: entry.id,
    at: entry.at,
    project: shownProjectOf(entry) ?? null,
    change: entry.evidence.change || null,
    operation: entry.operation ?? null,
    method: entry.method,
    path: entry.url.split('?')[0] ?? '',
    status: entry.status,
    fault: entry.fault ?? null,
    durationMs: shownDurationOf(entry),
    warnings: [...entry.warnings],
    entries: { refused: entry.rejectedCount, failed, pending },
    rules: explained.map(({ scenario, rule, fired, why }) => ({ scenario, rule, fired, why })),
    ...(explained.length < entry.ruleCount && { rulesOmitted: entry.ruleCount - explained.length }),
    request: {
      method: entry.method,
      url: entry.url,
      headers: { ...entry.requestHeaders },
      ...toBody(entry.requestBody?.read().shown),
    },
    response: {
      status: entry.status,
      headers: { ...entry.responseHeaders },
      ...toBody(entry.responseBody),
      ...(withBodies && entry.problem && { problem: toShown(entry.problem) }),
    },
    callbacks: callbacks.map(({ id }) => id),
  };
}

function toShown({ message, errors }: ShownProblem): NonNullable<RequestSummary['response']['problem']> {
  return { message, ...(errors && { errors: [...errors] }) };
}

/** Lists requests; with `await`, waits until enough match. */
async function list(parts: ControlParts, request: ControlRequest, project?: string) {
  const { query } = request;
  const filter = toRequestFilter(parts, request, findSince(parts, request, project), project);
  if ('problem' in filter) return filter;
  const waited = await awaitEnough(parts, request, project, countRequests(parts, filter, query, project));
  const isHar = query['format'] === 'har';
  // An archive is the traffic of the project itself.
  const isOwn = isHar || query['strays'] === false;
  const entries = isOwn ? parts.journal.list(project) : await listEverywhere(parts, project);
  const tests = filter();
  const { matching, counts } = await scanRequests(parts, entries, tests, query['counts'] === true);
  if (isHar) return { status: 200 as const, pieces: toHar(matching, controlVersion) };
  const page = toPage(matching, query, ({ number }) => number, asIs, toSortValue(query, tests.effectsOf));
  if (!page) return badCursor;
  const items = showAll(parts, page.items, tests.effectsOf, query);
  return okInPieces({ ...page, items, ...waited, ...(counts && { counts }) });
}

/** Shows requests of all projects as lists do. */
export function showListed(
  parts: ControlParts,
  { query, caller }: ControlRequest,
  entries: readonly JournalEntry[],
): Iterable<object> {
  const effects = findLaterEffects(parts, caller);
  return showAll(parts, entries, ({ id }) => effects.get(id), query);
}

/** Yields the entries one by one, while they are sent: all bodies together may be as large as the journal. */
function* showAll(
  { requestFacts }: ControlParts,
  entries: readonly JournalEntry[],
  effectsOf: RequestTests['effectsOf'],
  { view, bodies }: ControlRequest['query'],
): Generator<RequestSummary | RequestRow | RequestProblem> {
  for (const entry of entries) {
    if (view === 'rows') yield toRow(entry, requestFacts, effectsOf(entry));
    else if (view === 'problems') yield toRequestProblem(entry, effectsOf(entry));
    else yield show(entry, effectsOf(entry), { withBodies: bodies !== false, maxRules: maxRulesListed });
  }
}

/** Returns a request, with the records that it changed. */
function showOne(parts: ControlParts, caller: Caller, entry: JournalEntry, project: Project | undefined) {
  const changed = recordsChangedBy(entry, parts.contract, project);
  const effects = findLaterEffects(parts, caller, project?.id ?? '').get(entry.id);
  return ok({ ...show(entry, effects, { withBodies: true, maxRules: maxRulesShown }), changed: [...changed] });
}

type RequestIds = 'listAllRequests' | 'getAnyRequest' | 'listRequests' | 'getRequest';

export const requestHandlers: ControlHandlers<RequestIds> = {
  listAllRequests: (parts, request) => list(parts, request, request.query['project'] as string | undefined),
  getAnyRequest: (parts, { caller, params }) => {
    const id = params['id'] ?? '';
    const entry = parts.journal.list().find((one) => one.id === id && caller.mayUse(shownProjectOf(one)));
    return entry
      ? showOne(parts, caller, entry, entry.project === undefined ? undefined : parts.projects.find(entry.project))
      : reject('notFound', `the journal has no request ${id}`);
  },
  listRequests: (parts, request) => list(parts, request, projectOf(request)),
  getRequest: async (parts, request) => {
    const project = projectOf(request);
    const id = request.params['id'] ?? '';
    const strays = (): Promise<readonly JournalEntry[]> | undefined => parts.controlPlacement?.listStrays(project);
    const entry = parts.journal.find(project, id) ?? (await strays())?.find((one) => one.id === id);
    return entry
      ? showOne(parts, request.caller, entry, parts.projects.find(project))
      : reject('notFound', `the journal of this project has no request ${id}`);
  },
};

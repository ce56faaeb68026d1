/** The list of requests, of one project or of all: its filters, counts, orders and views. */
import { METHODS } from 'node:http';
import type { JournalEntry } from '../../journal/entry.ts';
import { maxStraysPerProject, shownProjectOf } from '../../journal/journal.ts';
import { inTurn } from '../../lib/in-turn.ts';
import { parseTimestamp, toTimestamp } from '../../lib/time.ts';
import { quote } from '../../openapi/explain.ts';
import { operationIds } from '../../operations/index.ts';
import { type ControlParts, type ControlRequest, type Rejection, reject, startOfSpan } from '../handler.ts';
import type { List, Sorts } from '../lists/list.ts';
import { toTextTest, toValues } from '../lists/select.ts';
import { entriesNaming } from '../named-records.ts';
import { hiddenForAll } from '../scenarios.ts';
import { Effects } from './later-effects.ts';
import { describeInGroup } from './problem-groups.ts';
import {
  findTraceId,
  outcomesIn,
  outcomesOf,
  scenariosOf,
  show,
  shownDurationOf,
  shownPathOf,
  toRequestProblem,
  toRow,
} from './show.ts';

type RequestTest = (entry: JournalEntry) => boolean;

/** The value of `operation` for requests that match no operation. */
const noOperation = 'none';

const known = {
  operation: { noun: 'an operationId', values: [...operationIds, noOperation] },
  method: { noun: 'an HTTP method', values: METHODS, isAnyCase: true },
};

export function defineRequests(
  parts: ControlParts,
  { query, caller }: ControlRequest,
  project: string | undefined,
): List<JournalEntry> {
  const effects = new Effects(parts);
  const isHidden = hiddenForAll(parts, caller);
  return {
    known,
    mistake: findMistake(query),
    items: () => listHere(parts, project),
    // An archive is the traffic of the project itself.
    everywhere: async () =>
      query['strays'] === false || query['format'] === 'har'
        ? parts.journal.list(project)
        : await listEverywhere(parts, project),
    numberOf: ({ number }) => number,
    refresh: (only) => effects.refresh(only),
    ...(!caller.isAdmin && { isVisible: oncePerProject(shownProjectOf, caller.mayUse) }),
    since: { noun: 'a request in the journal', idOf: ({ id }) => id },
    watch: (notify) => watchRequests(parts, query, project, notify),
    filters: {
      strays: (value) => (value === 'false' ? ({ project: own }) => own !== undefined : () => true),
      method: (value) => {
        const methods = toValues(value.toUpperCase());
        return ({ method }) => methods.has(method);
      },
      // Timestamps of the journal have one form, so that they are compared as texts.
      from: (value) => {
        const first = toJournalTime(value);
        return ({ at }) => at >= first;
      },
      to: (value) => {
        const last = toJournalTime(value);
        return ({ at }) => at <= last;
      },
      trace: (value) => {
        const wanted = value.toLowerCase();
        return (entry) => findTraceId(entry) === wanted;
      },
      within: (value) => {
        // A request that only names a project has the time of the server.
        const startOf = oncePerProject(
          ({ project: own }) => own,
          (own) => startOfSpan(parts, own, value),
        );
        return (entry) => entry.at >= startOf(entry);
      },
      entity: (value) => toEntityTest(value, effects),
      problem: (value) => (entry) => describeInGroup(entry, effects.of(entry), value) !== undefined,
      contains: (value) => {
        const matches = toTextTest(value);
        return ({ id, url, operation = '', requestBody, responseBody = '' }) =>
          [id, url, operation, requestBody?.read().shown ?? '', responseBody].some(matches);
      },
      record: (value) => {
        const [collection = '', ...id] = value.split('/');
        return (entry) => entriesNaming(entry, id.join('/')).some((one) => one.collection === collection);
      },
    },
    facets: {
      operation: { keyOf: ({ operation = noOperation }) => operation },
      status: { keyOf: ({ status }) => status, valuesOf: (status: number) => [classOf(status)] },
      outcome: {
        keyOf: (entry) => outcomesOf(entry, effects.of(entry)),
        valuesOf: outcomesIn,
      },
      scenario: { keyOf: scenariosOf, valuesOf: (names: readonly string[]) => names },
    },
    sorts: {
      at: ({ at }) => at,
      method: ({ method }) => method,
      operation: (entry) => entry.operation ?? shownPathOf(entry),
      project: (entry) => shownProjectOf(entry) ?? '',
      status: ({ status }) => status,
      callbacks: (entry) => effects.of(entry)?.callbacks.length ?? 0,
      duration: shownDurationOf,
    } satisfies Sorts<'listRequests', JournalEntry>,
    show: (entry) => {
      if (query['view'] === 'rows') {
        const row = toRow(entry, effects.of(entry));
        const problem = query['problem'] && describeInGroup(entry, effects.of(entry), String(query['problem']));
        return problem ? { ...row, problem } : row;
      }
      if (query['view'] === 'problems') return toRequestProblem(entry, effects.of(entry));
      return show(entry, effects.of(entry), query['bodies'] !== false, isHidden);
    },
  };
}

/** Finds parameters that mean nothing beside the others. */
function findMistake({ view, groups, from, to }: ControlRequest['query']): Rejection | undefined {
  if (groups === true && view !== 'problems')
    return reject('invalid', 'expected view=problems, whose problems are grouped', 'query:groups');
  if (from === undefined || to === undefined || toJournalTime(String(from)) <= toJournalTime(String(to)))
    return undefined;
  const message = `expected a time at or after ${from}, the value of \`from\`; got ${quote(String(to))}`;
  return reject('invalid', message, 'query:to');
}

function toJournalTime(time: string): string {
  return toTimestamp(parseTimestamp(time) ?? 0);
}

/** Returns a function of a request's project, which is called once per project. */
function oncePerProject<Value>(
  projectOf: (entry: JournalEntry) => string | undefined,
  toValue: (project: string | undefined) => Value,
): (entry: JournalEntry) => Value {
  const known = new Map<string | undefined, Value>();
  return (entry) => {
    const project = projectOf(entry);
    const value = known.get(project);
    if (value !== undefined) return value;
    const found = toValue(project);
    known.set(project, found);
    return found;
  };
}

/** Returns whether a request names one of the ids, or is or has caused what has it. */
function toEntityTest(query: string, effects: Effects): RequestTest {
  // An id may contain a comma itself.
  const ids = toValues(query).add(query);
  return (entry) =>
    ids.has(entry.id) ||
    entry.named?.ids.some((id) => ids.has(id)) === true ||
    effects.of(entry)?.callbacks.some(({ id }) => ids.has(id)) === true;
}

/** Returns the class of a status, such as `4xx`; `0` if the connection was broken before a status was sent. */
function classOf(status: number): string {
  return status < 100 ? '0' : `${Math.floor(status / 100)}xx`;
}

/**
 * Lists the requests of one project with the stray ones that name it, or those of all, as far as this server has
 * them, oldest first.
 */
function listHere({ journal }: ControlParts, project: string | undefined): readonly JournalEntry[] {
  return project === undefined ? journal.list() : merge(journal.list(project), journal.strays(project));
}

/** Lists the requests of one project or of all. With several servers, any of them may have stray ones. */
export async function listEverywhere(
  parts: ControlParts,
  project: string | undefined,
): Promise<readonly JournalEntry[]> {
  const { journal, controlPlacement } = parts;
  if (project === undefined || !controlPlacement) return listHere(parts, project);
  const strays = merge(journal.strays(project), await controlPlacement.listStrays(project));
  return merge(journal.list(project), strays.slice(-maxStraysPerProject));
}

function merge(one: readonly JournalEntry[], other: readonly JournalEntry[]): readonly JournalEntry[] {
  return other.length === 0 ? one : [...one, ...other].sort((a, b) => a.number - b.number);
}

/** How long changes are collected until the changed requests are tested again. */
const collectMs = 100;

/** Notifies of new requests; if the query asks for what may change after the response, also of changed ones. */
function watchRequests(
  parts: ControlParts,
  query: ControlRequest['query'],
  project: string | undefined,
  notify: (entries: readonly JournalEntry[]) => void,
): () => void {
  const isListed = (entry: JournalEntry): boolean => project === undefined || shownProjectOf(entry) === project;
  const mayChange = ['outcome', 'problem', 'entity'].some((name) => query[name] !== undefined);
  if (!mayChange) return parts.journal.subscribe((entry) => isListed(entry) && notify([entry]));
  const isWatched = (id: string): boolean => project === undefined || id === project;
  let ids = new Set<string>();
  let cancel: (() => void) | undefined;
  const collect = (id: string): void => {
    ids.add(id);
    cancel ??= parts.wall.after(collectMs, () => {
      const collected = ids;
      ids = new Set();
      cancel = undefined;
      notify(listHere(parts, project).filter((entry) => collected.has(entry.id)));
    });
  };
  return inTurn(
    () => cancel?.(),
    parts.journal.onStored((_, item) => {
      if ('request' in item && isListed(item.request)) collect(item.request.id);
    }),
    parts.projects.on('callback', (id, { requestId }) => isWatched(id) && collect(requestId)),
    parts.projects.on('commandApplied', (id, requestId) => isWatched(id) && collect(requestId)),
  );
}

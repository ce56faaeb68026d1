/** Control API handlers for the journal: lists of requests, and single requests with explained rules. */
import controlDocument from '../../spec/control.yaml';
import type { JournalEntry } from '../journal/entry.ts';
import { shownProjectOf } from '../journal/journal.ts';
import type { Project } from '../project/project.ts';
import type { Caller } from './caller.ts';
import {
  type ControlParts,
  type ControlRequest,
  ok,
  projectOf,
  type Rejection,
  reject,
  type SomeHandlers,
  slicesFor,
} from './handler.ts';
import { toHar, toHarEntry } from './har.ts';
import { answerList, listItems } from './lists/answer.ts';
import { recordsChangedBy } from './named-records.ts';
import { showClock } from './projects.ts';
import { compareRequests, findLastAccepted } from './requests/difference.ts';
import { explainRequest, placesOfErrors } from './requests/explain.ts';
import { Effects } from './requests/later-effects.ts';
import { defineRequests } from './requests/list.ts';
import { groupProblems } from './requests/problem-groups.ts';
import { writeRepeating } from './requests/repeat.ts';
import { show } from './requests/show.ts';
import { hiddenForAll } from './scenarios.ts';

const controlVersion = (controlDocument as { info: { version: string } }).info.version;

/** Selects all requests of a query, with this form of each. */
function selectAll<Shown extends object>(
  parts: ControlParts,
  request: ControlRequest,
  project: string | undefined,
  show: (entry: JournalEntry) => Shown,
) {
  const all = { limit: Number.POSITIVE_INFINITY, cursor: undefined, sort: undefined, order: undefined };
  const whole = { ...request, query: { ...request.query, ...all } };
  return listItems(parts, whole, { ...defineRequests(parts, whole, project), show });
}

async function archive(parts: ControlParts, request: ControlRequest) {
  const listed = await selectAll(parts, request, projectOf(request), toHarEntry);
  return 'problem' in listed ? listed : { status: 200 as const, pieces: toHar(listed.items, controlVersion) };
}

/** Lists the groups of problems, if the query asks for them, or the requests. */
async function list(parts: ControlParts, request: ControlRequest, project: string | undefined) {
  const { view, groups } = request.query;
  const requests = defineRequests(parts, request, project);
  if (view !== 'problems' || groups !== true) {
    const dropped = view === 'rows' && project !== undefined ? parts.journal.droppedCount(project) : 0;
    return answerList(parts, request, requests, dropped > 0 ? { dropped } : {});
  }
  const listed = await selectAll(parts, request, project, (entry) => entry);
  if ('problem' in listed) return listed;
  const projects = project === undefined ? parts.projects.list() : [parts.projects.find(project)];
  const filters = Object.keys({ ...requests.filters, ...requests.facets }).filter((name) => name !== 'strays');
  const isFiltered = [...filters, 'since'].some((name) => request.query[name] !== undefined);
  const own = isFiltered ? [] : projects.filter((one) => request.caller.mayUse(one?.id));
  const triggered = own.flatMap((one) =>
    Array.from(one?.state.callbacks.values() ?? [])
      .filter((callback) => callback.triggered)
      .map((callback) => [one?.id ?? '', callback] as const),
  );
  const found = await groupProblems(listed.items, new Effects(parts), triggered, slicesFor(parts, request));
  return ok({ items: found });
}

/** Maximum number of changed records listed per request. */
const maxChanged = 1000;

/** Returns a request, with the records that it changed and its explanation. */
function showOne(parts: ControlParts, caller: Caller, entry: JournalEntry, project: Project | undefined) {
  const effects = new Effects(parts).of(entry);
  const changed = recordsChangedBy(entry, project);
  const clock = project && showClock(parts, project);
  const explanation = explainRequest(entry, { effects, changedCount: changed.length, clock });
  return ok({
    ...show(entry, effects, true, hiddenForAll(parts, caller)),
    changed: changed.slice(0, maxChanged),
    changedOmitted: changed.slice(maxChanged).length || undefined,
    explanation,
  });
}

/** Finds a request of a project, or one that names the project and never reached it. */
async function find({ journal, controlPlacement }: ControlParts, project: string, id: string) {
  const found =
    journal.find(project, id) ?? (await controlPlacement?.listStrays(project))?.find((one) => one.id === id);
  return found ?? reject('notFound', `the journal of this project has no request ${id}`);
}

const yamlHeaders = { 'content-type': 'application/yaml; charset=utf-8' };

export const requestHandlers: SomeHandlers = {
  listAllRequests: (parts, request) => list(parts, request, request.query.project),
  getAnyRequest: (parts, { caller, params: { id } }) => {
    const entry = parts.journal.list().find((one) => one.id === id && caller.mayUse(shownProjectOf(one)));
    if (!entry) return reject('notFound', `the journal has no request ${id}`);
    return showOne(parts, caller, entry, entry.project === undefined ? undefined : parts.projects.find(entry.project));
  },
  listRequests: (parts, request) =>
    request.query.format === 'har' ? archive(parts, request) : list(parts, request, request.params.projectId),
  getRequest: async (parts, { params: { projectId, id }, caller }, project) => {
    const entry = await find(parts, projectId, id);
    return isRejection(entry) ? entry : showOne(parts, caller, entry, project);
  },
  getDifference: async (parts, { params: { projectId, id }, query: { to } }) => {
    const entry = await find(parts, projectId, id);
    if (isRejection(entry)) return entry;
    const other =
      to === undefined ? findLastAccepted(entry, parts.journal.list(projectId)) : await find(parts, projectId, to);
    if (!other) return ok({ to: null, rows: [], rowCount: 0 });
    return isRejection(other) ? other : ok(compareRequests(entry, other, placesOfErrors(entry)));
  },
  getRequestScenario: async (parts, { params: { projectId, id } }) => {
    const entry = await find(parts, projectId, id);
    if (isRejection(entry)) return entry;
    if (entry.operation === undefined)
      return reject('notFound', `the request ${id} matches no operation, so no rule can repeat what it met`);
    const effects = new Effects(parts).of(entry);
    return { status: 200, text: await writeRepeating(entry, effects), headers: yamlHeaders };
  },
};

/** An entry of the journal may have a problem too. */
function isRejection(found: JournalEntry | Rejection): found is Rejection {
  return !('number' in found);
}

/** Control API handlers for the journal: lists of requests, and single requests with explained rules. */
import controlDocument from '../../spec/control.yaml';
import type { JournalEntry } from '../journal/entry.ts';
import { shownProjectOf } from '../journal/journal.ts';
import type { Project } from '../project/project.ts';
import {
  type ControlParts,
  type ControlRequest,
  ok,
  projectOf,
  reject,
  type SomeHandlers,
  slicesFor,
} from './handler.ts';
import { toHar } from './har.ts';
import { answerList, listItems } from './lists/answer.ts';
import { recordsChangedBy } from './named-records.ts';
import { showClock } from './projects.ts';
import { compareRequests, findLastAccepted } from './requests/difference.ts';
import { explainRequest, placesOfErrors } from './requests/explain.ts';
import { createEffects } from './requests/later-effects.ts';
import { defineRequests } from './requests/list.ts';
import { groupProblems } from './requests/problem-groups.ts';
import { writeRepeating } from './requests/repeat.ts';
import { show } from './requests/show.ts';

const controlVersion = (controlDocument as { info: { version: string } }).info.version;

/** Returns all requests as an archive. */
async function archive(parts: ControlParts, request: ControlRequest) {
  const all = { limit: Number.POSITIVE_INFINITY, cursor: undefined, sort: undefined, order: undefined };
  const whole = { ...request, query: { ...request.query, ...all } };
  const listed = await listItems(parts, whole, defineRequests(parts, whole, projectOf(request)));
  return 'problem' in listed ? listed : { status: 200 as const, pieces: toHar(listed.items, controlVersion) };
}

/** Lists the groups of problems, if the query asks for them, or the requests. */
async function list(parts: ControlParts, request: ControlRequest, project: string | undefined) {
  const { view, groups } = request.query;
  const requests = defineRequests(parts, request, project);
  if (view !== 'problems' || groups !== true) return answerList(parts, request, requests);
  const all = { limit: Number.POSITIVE_INFINITY, cursor: undefined, sort: undefined, order: undefined };
  const whole = { ...request, query: { ...request.query, ...all } };
  const listed = await listItems(parts, whole, { ...requests, show: (entry) => entry });
  if ('problem' in listed) return listed;
  const projects = (project === undefined ? parts.projects.list() : [parts.projects.find(project)]).flatMap(
    (one) => one ?? [],
  );
  const effects = createEffects(parts, () => projects);
  const entries = listed.items as Iterable<JournalEntry>;
  const filters = Object.keys({ ...requests.filters, ...requests.facets }).filter((name) => name !== 'strays');
  const isFiltered = filters.some((name) => request.query[name] !== undefined);
  const own = isFiltered ? [] : projects.filter(({ id }) => request.caller.mayUse(id));
  const triggered = own.flatMap(({ id, state }) =>
    Array.from(state.callbacks.values()).flatMap((one) => (one.triggered ? [[id, one] as const] : [])),
  );
  return ok({
    items: [...(await groupProblems({ entries, effectsOf: effects.of, triggered }, slicesFor(parts, request)))],
  });
}

/** Returns a request, with the records that it changed and its explanation. */
function showOne(parts: ControlParts, entry: JournalEntry, project: Project | undefined) {
  const effects = createEffects(parts, () => [project]).of(entry);
  const changed = [...recordsChangedBy(entry, project)];
  const explanation = explainRequest(entry, {
    effects,
    changedCount: changed.length,
    clock: project && showClock(parts, project),
  });
  return ok({ ...show(entry, effects, true), changed, explanation });
}

/** Finds a request of a project, or one that names the project and never reached it. */
async function find({ journal, controlPlacement }: ControlParts, project: string, id: string) {
  return journal.find(project, id) ?? (await controlPlacement?.listStrays(project))?.find((one) => one.id === id);
}

const unknown = (id: string) => reject('notFound', `the journal of this project has no request ${id}`);

const yamlHeaders = { 'content-type': 'application/yaml; charset=utf-8' };

export const requestHandlers: SomeHandlers = {
  listAllRequests: (parts, request) => list(parts, request, request.query['project'] as string | undefined),
  getAnyRequest: (parts, { caller, params }) => {
    const id = params['id'] ?? '';
    const entry = parts.journal.list().find((one) => one.id === id && caller.mayUse(shownProjectOf(one)));
    return entry
      ? showOne(parts, entry, entry.project === undefined ? undefined : parts.projects.find(entry.project))
      : reject('notFound', `the journal has no request ${id}`);
  },
  listRequests: (parts, request) =>
    request.query['format'] === 'har' ? archive(parts, request) : list(parts, request, projectOf(request)),
  getRequest: async (parts, request) => {
    const project = projectOf(request);
    const id = request.params['id'] ?? '';
    const entry = await find(parts, project, id);
    return entry ? showOne(parts, entry, parts.projects.find(project)) : unknown(id);
  },
  getDifference: async (parts, request) => {
    const project = projectOf(request);
    const id = request.params['id'] ?? '';
    const otherId = request.query['to'] as string | undefined;
    const entry = await find(parts, project, id);
    if (!entry) return unknown(id);
    const other =
      otherId === undefined
        ? findLastAccepted(entry, parts.journal.list(project))
        : await find(parts, project, otherId);
    if (other) return ok(compareRequests(entry, other, placesOfErrors(entry)));
    return otherId === undefined ? ok({ to: null, rows: [], rowCount: 0 }) : unknown(otherId);
  },
  getRequestScenario: async (parts, request) => {
    const project = projectOf(request);
    const id = request.params['id'] ?? '';
    const entry = await find(parts, project, id);
    if (!entry) return unknown(id);
    if (entry.operation === undefined)
      return reject('notFound', `the request ${id} matches no operation, so no rule can repeat what it met`);
    const effects = createEffects(parts, () => [parts.projects.find(project)]).of(entry);
    return { status: 200, text: await writeRepeating(entry, effects), headers: yamlHeaders };
  },
};

/** Loads what went wrong in one project or in all projects. The sandbox filters it, and leaves out all bodies. */
import { callApi, listAll, projectPath, type Schemas } from '../../../data/client.ts';
import { maxProjects } from '../../../data/live.ts';
import { type Finding, findIn, toUndelivered } from './find.ts';

type CallbackRow = Schemas['CallbackRow'];

/** Maximum number of requests that are checked: the latest with a failure or a warning. */
export const maxRequests = 1000;

/** Maximum number of undelivered callbacks of a project. */
const maxCallbacks = 1000;

/** The outcomes of requests that can be a problem. */
const problemOutcomes = 'rejected,failed,warned,faulted';

/** `project` is empty for all projects. Findings are ordered oldest first. */
export async function loadFindings(project: string): Promise<readonly Finding[]> {
  const [requests, callbacks] = await Promise.all([loadRequests(project), loadUndelivered(project)]);
  const known = new Set(requests.map(({ id }) => id));
  return [
    ...requests.flatMap(findIn),
    ...callbacks.map((callback) => toUndelivered(callback, known.has(callback.requestId))),
  ];
}

async function loadRequests(project: string): Promise<readonly Schemas['RequestProblem'][]> {
  const list = project === '' ? '/requests' : projectPath(project, '/requests');
  const query = `view=problems&outcome=${problemOutcomes}&order=newest&limit=${maxRequests}`;
  const { items } = await callApi<Schemas['RequestProblemPage']>('GET', `${list}?${query}`);
  return items.toReversed();
}

/** Loads the latest callbacks that could not be delivered: of all projects with callbacks, one after the other. */
async function loadUndelivered(project: string): Promise<readonly CallbackRow[]> {
  const listed = project === '' ? await loadProjectsWithCallbacks() : [project];
  const query = `view=rows&state=failed&order=newest&limit=${maxCallbacks}`;
  const found: CallbackRow[] = [];
  for (const id of listed) {
    const page = await callApi<Schemas['CallbackRowPage']>('GET', projectPath(id, `/callbacks?${query}`));
    found.push(...page.items.toReversed());
  }
  return found;
}

async function loadProjectsWithCallbacks(): Promise<readonly string[]> {
  const all = await listAll<Schemas['ProjectSummary']>('/projects', maxProjects);
  return all.filter(({ counts }) => counts.callbacks > 0).map(({ id }) => id);
}

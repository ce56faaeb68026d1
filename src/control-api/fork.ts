/** Control API handler that copies a project: at its present state, or as it was after an earlier change. */
import { droppedChanges } from '../journal/recording.ts';
import { toRegionalId } from '../keys/api-key.ts';
import type { Slices } from '../lib/slices.ts';
import { copyState } from '../project/fork/copy-state.ts';
import { toSavedProject } from '../project/persistence/saved-project.ts';
import type { Project, SavedProject } from '../project/project.ts';
import type { ProjectState } from '../project/state.ts';
import { stateAt } from '../replay/state-at.ts';
import { loadExpressions } from '../scenarios/matcher.ts';
import { admin, type Caller } from './caller.ts';
import { otherProject } from './guard.ts';
import {
  type ControlHandlers,
  type ControlParts,
  type OperationRequest,
  type Rejection,
  reject,
  slicesFor,
} from './handler.ts';
import { showProject } from './projects.ts';
import { recordProject, ScenarioTable } from './recording.ts';

type ForkRequest = OperationRequest<'forkProject'>;
type Fork = ForkRequest['body'];

export const forkHandlers: ControlHandlers<'forkProject'> = {
  forkProject: async (parts, given, original) => {
    const request = parts.profile.regions.separate ? inRegion(given) : given;
    const { caller, params, body: fork } = request;
    // Before anything else, so that a key does not learn which other projects exist.
    if (!caller.mayUse(fork.to)) return reject('foreignKey', otherProject, '/to');
    if (!original) {
      const message = `there is no project ${params.projectId} to fork: the first write to it creates it`;
      return reject('notFound', message);
    }
    try {
      const rejection = await addFork(parts, original, request);
      if (rejection) return rejection;
    } finally {
      parts.controlPlacement?.releaseNew(fork.to);
    }
    return { status: 201, body: showProject(parts, fork.to, caller), changed: fork.to };
  },
};

/** At the host of a region, the fork is one of the region, as the project in the path is. */
function inRegion(request: ForkRequest): ForkRequest {
  const { body, headers } = request;
  return { ...request, body: { ...body, to: toRegionalId(body.to, headers.host) } };
}

async function addFork(parts: ControlParts, original: Project, request: ForkRequest): Promise<Rejection | undefined> {
  const { caller, body: fork } = request;
  const rejection = await checkFork(parts, original, fork, caller);
  if (rejection) return rejection;
  const journalBytes = fork.atChange === undefined ? 0 : parts.journal.bytes(original.id);
  const reserved = parts.admission.reserve(original.usage.bytes + journalBytes, caller.key, original.id);
  if ('problem' in reserved) return reserved;
  try {
    const copy = await copyProject(parts, original, request);
    if ('problem' in copy) return copy;
    // A request may have created the project meanwhile.
    const taken = await checkTarget(parts, original, fork.to, caller);
    if (!taken) parts.projects.addFork(fork.to, copy);
    return taken;
  } finally {
    reserved.release();
  }
}

/** Returns the error response if a project cannot be forked, or undefined. */
async function checkFork(
  parts: ControlParts,
  original: Project,
  { to, atChange }: Fork,
  caller: Caller,
): Promise<Rejection | undefined> {
  const { id, state, schedule } = original;
  const taken = await checkTarget(parts, original, to, caller);
  if (taken) return taken;
  if (atChange === undefined && schedule.isAdvancing())
    return reject('conflict', 'another request is advancing the clock: try again when it has ended');
  const { changeCount } = state;
  if (atChange !== undefined && atChange > changeCount) {
    const message = `must be at most ${changeCount}, the number of changes of project ${id}; got ${atChange}`;
    return reject('invalid', message, '/atChange');
  }
  return undefined;
}

async function checkTarget(
  { projects, projectQuota, placement, controlPlacement }: ControlParts,
  { id }: Project,
  to: string,
  { key }: Caller,
): Promise<Rejection | undefined> {
  if (projects.has(to) || (await controlPlacement?.claimNew(to, id)) === false)
    return reject('conflict', `project ${to} exists already: choose another id, or reset it first`, '/to');
  const existing = key && (await placement?.listEarlier(key, to));
  const full = projects.checkCapacity(to) ?? (key && projectQuota(key, to, existing));
  return full && { problem: full };
}

async function copyProject(
  parts: ControlParts,
  original: Project,
  request: ForkRequest,
): Promise<SavedProject | Rejection> {
  const { to, atChange } = request.body;
  original.runDue();
  const { id, state, usage } = original;
  const { changeCount } = state;
  const { recordBytes } = usage;
  const { seed, defaultEndpoint: endpoint } = parts;
  const slices = slicesFor(parts, request);
  const source = atChange === undefined ? state : await findPast(parts, original, atChange, request.caller, slices);
  if ('problem' in source) return source;
  const from = { project: id, change: atChange ?? changeCount };
  const copied = await copyState(source, { to, from, slices, seed, endpoint });
  return { ...toSavedProject(copied, await loadExpressions()), ...(atChange === undefined && { recordBytes }) };
}

/** Returns the state of a project as it was after a change. */
async function findPast(
  parts: ControlParts,
  { id, state }: Project,
  change: number,
  { mayUse }: Caller,
  slices: Slices,
): Promise<ProjectState | Rejection> {
  const { profile, document, contract, wall, defaultClock: clock } = parts;
  const { callbacks } = state;
  const table = new ScenarioTable();
  // The fork keeps rules that the caller may not read.
  const recording = recordProject(parts, id, { ...admin, mayUse }, table);
  if (recording.complete) {
    const applied = { profile, document };
    return stateAt({ recording, scenarios: table.sources, callbacks, clock, applied, contract, wall, slices }, change);
  }
  const { incomplete = droppedChanges } = recording;
  const message = `project ${id} cannot be forked at change ${change}, because its recording is incomplete: ${incomplete}. Without "atChange", the fork has its present state`;
  return reject('conflict', message, '/atChange');
}

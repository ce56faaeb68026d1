/** Control API handlers for projects: their contents, usage and clock, and resets. */
import { rateOf } from '../lib/clock.ts';
import { maxClockMs, parseTimestamp, toTimestamp } from '../lib/time.ts';
import type { Project } from '../project/project.ts';
import type { Due } from '../project/schedule.ts';
import type { DueWork } from '../project/state.ts';
import { createRecords } from '../records/records.ts';
import { countRecords } from '../usage/admission.ts';
import { showEndpoint } from './callbacks/show.ts';
import { admin, type Caller } from './caller.ts';
import {
  type ControlHandlers,
  type ControlParts,
  ok,
  type Rejection,
  recordSetting,
  reject,
  type Schema,
} from './handler.ts';
import { answerList } from './lists/answer.ts';
import { countByKind } from './records.ts';

type ProjectIds = 'listProjects' | 'getProject' | 'resetProject' | 'resetAll' | 'getClock' | 'putClock' | 'listPending';

/** Returns the number of deferred commands and callback attempts that are not complete. */
export function totalPending(project: Project | undefined): number {
  const { instructions, callbacks } = project?.pending() ?? { instructions: 0, callbacks: 0 };
  return instructions + callbacks;
}

/** Returns the clock of a project; for a project that does not exist yet, its initial clock. */
export function showClock(parts: ControlParts, project: Project | undefined): Schema<'Clock'> {
  const { defaultClock } = parts;
  const mode = project?.state.clock.mode ?? defaultClock.mode;
  const now = project?.now() ?? defaultClock.nowMs ?? parts.wall.now();
  const rate = project ? rateOf(project.state.clock) : (defaultClock.rate ?? 1);
  return { mode, rate: mode === 'real' ? rate : undefined, now: toTimestamp(now), pending: totalPending(project) };
}

/** Returns the limits of a project for requests with a key, as far as they are set. */
function showLimits({ admission }: ControlParts, key: Caller['key']): Record<string, number> {
  const { projects: _projects, ...ownLimits } = key?.limits ?? {};
  const all = [...Object.entries(admission.limits), ...Object.entries(ownLimits)];
  return Object.fromEntries(all.filter((entry): entry is [string, number] => entry[1] !== undefined));
}

function showUsage({ admission, journal }: ControlParts, project: Project | undefined, id: string) {
  const { waiting, followers } = admission;
  // As they are: the same at a replica that loads the project.
  project?.usage.recount();
  return {
    records: project ? countRecords(project) : 0,
    bytes: Math.ceil((project?.usage.bytes ?? 0) + journal.bytes(id)),
    pending: totalPending(project),
    scenarios: project?.usage.rules ?? 0,
    waiting: waiting.count(id),
    followers: followers.count(id),
  };
}

export function showProject(parts: ControlParts, id: string, { key, mayUse }: Caller): Schema<'ProjectSummary'> {
  // A list of projects does not use them.
  const project = parts.projects.peek(id) ?? parts.projects.find(id);
  const forkedFrom = project?.state.forkedFrom;
  return {
    id,
    counts: {
      ...countByKind(project?.state.records ?? createRecords()),
      requests: parts.journal.size(id),
      callbacks: project?.state.callbacks.size ?? 0,
      pending: totalPending(project),
    },
    usage: showUsage(parts, project, id),
    limits: showLimits(parts, key),
    clock: showClock(parts, project),
    scenarios: project?.scenarios.map(({ name }) => name) ?? [],
    callbackEndpoint: showEndpoint(project, parts),
    forkedFrom: forkedFrom && mayUse(forkedFrom.project) ? forkedFrom : undefined,
  };
}

/** A summary at a time of the wall clock. */
interface SavedSummary {
  readonly atMs: number;
  readonly shown: Schema<'ProjectSummary'>;
}

/** Returns the summary of a project in memory as a text. */
export function saveSummary(parts: ControlParts, project: string): string {
  const { usage, ...shown } = showProject(parts, project, admin);
  const saved: SavedSummary = {
    atMs: parts.wall.now(),
    shown: { ...shown, usage: { ...usage, waiting: 0, followers: 0 } },
  };
  return JSON.stringify(saved);
}

/** Shows a saved summary to a caller, as if the project were in memory. */
export function showSummary(parts: ControlParts, text: string, { key, mayUse }: Caller): Schema<'ProjectSummary'> {
  const { atMs, shown } = JSON.parse(text) as SavedSummary;
  const { forkedFrom, clock, ...rest } = shown;
  const passedMs = (parts.wall.now() - atMs) * (clock.rate ?? 0);
  const now = toTimestamp(Math.round((parseTimestamp(clock.now) ?? 0) + passedMs));
  return {
    ...rest,
    limits: showLimits(parts, key),
    clock: { ...clock, now },
    forkedFrom: forkedFrom && mayUse(forkedFrom.project) ? forkedFrom : undefined,
  };
}

function showDue({ dueAt, what }: Due<DueWork>, callbacks: Project['state']['callbacks'] | undefined) {
  const at = { dueAt: toTimestamp(dueAt), kind: what.kind };
  if (what.kind === 'attempt') {
    const isRetry = (callbacks?.get(what.callbackId)?.attempts.length ?? 0) > 0;
    return { ...at, callbackId: what.callbackId, isRetry: isRetry || undefined };
  }
  if (what.kind === 'release') return at;
  const { operation, requestId, command, failures } = what.deferredCommand;
  return { ...at, kind: 'instruction', operation, requestId, entries: command.entries.length + failures.length };
}

/** Returns an error response if an instant is after the latest one that a clock can be set to, otherwise undefined. */
export function checkLatest(path: string, ms: number | undefined, given: string | undefined): Rejection | undefined {
  if (ms === undefined || ms <= maxClockMs) return undefined;
  const message = `must be at most ${toTimestamp(maxClockMs)}, the latest time of a clock; got ${given}`;
  return reject('invalid', message, path);
}

export const projectHandlers: ControlHandlers<ProjectIds> = {
  listProjects: (parts, request) => {
    const { caller } = request;
    return answerList(parts, request, {
      items: () => parts.projects.list(),
      numberOf: ({ creationIndex }) => creationIndex,
      isVisible: ({ id }) => caller.mayUse(id),
      show: ({ id }) => showProject(parts, id, caller),
    });
  },
  getProject: (parts, { params, caller }) => ok(showProject(parts, params.projectId, caller)),
  resetProject: async ({ projects, controlPlacement }, { params }) => {
    const cancelled = projects.reset(params.projectId);
    await controlPlacement?.dropStrays(params.projectId);
    return ok({ cancelled });
  },

  resetAll: (parts) => {
    const projects = [...parts.projects.ids()].length;
    const cancelled = parts.projects.resetAll();
    const sum = (key: 'instructions' | 'callbacks') => cancelled.reduce((total, one) => total + one[key], 0);
    return ok({
      projects,
      cancelled: { instructions: sum('instructions'), callbacks: sum('callbacks') },
    });
  },

  getClock: (parts, _request, project) => ok(showClock(parts, project)),

  putClock: (parts, { params, body }, existing) => {
    const { mode, now, rate } = body;
    if (mode === 'frozen' && rate !== undefined) {
      const message = `expected no rate, because a frozen clock does not run; got ${rate}. To run it, send "mode": "real"`;
      return reject('invalid', message, '/rate');
    }
    const current = showClock(parts, existing).now;
    const wanted = now === undefined ? undefined : parseTimestamp(now);
    const tooLate = checkLatest('/now', wanted, now);
    if (tooLate) return tooLate;
    if (wanted !== undefined && wanted < (parseTimestamp(current) ?? 0)) {
      return reject('conflict', `the clock only moves forward: it shows ${current}, got ${now}`, '/now');
    }
    const project = parts.projects.open(params.projectId);
    if (project.schedule.isAdvancing())
      return reject('conflict', 'another request is advancing the clock: try again when it has ended');
    // Read only once, so that the recording has exactly the time that is set.
    const atMs = project.runDue();
    const to = Math.max(atMs, wanted ?? 0);
    const wantedRate = rate ?? parts.defaultClock.rate ?? 1;
    const rateChange = mode === 'real' && wantedRate !== 1 ? { rate: wantedRate } : {};
    recordSetting(parts, project, { kind: 'clock', mode, ...rateChange, now: toTimestamp(to) }, { atMs });
    project.setClock(mode, to, wantedRate);
    return ok(showClock(parts, project));
  },

  listPending: (parts, request, project) => {
    const { due = [], callbacks } = project?.state ?? {};
    const items = [...due];
    return answerList(parts, request, {
      items: () => items,
      timeOf: ({ dueAt }) => dueAt,
      numberOf: ({ order }) => order,
      show: (one) => showDue(one, callbacks),
    });
  },
};

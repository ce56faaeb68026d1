/** The control API's view of whole projects: what they hold, their clock, starting over. */
import { longestDuration, parseDuration } from '../../base/duration.ts';
import type { Problem } from '../../base/problem.ts';
import { parseTimestamp, toTimestamp } from '../../base/time.ts';
import type { Due } from '../../downstream/schedule.ts';
import { type AdvanceResult, Disposed } from '../../downstream/schedule.ts';
import { createRecords } from '../../store/records.ts';
import type { World } from '../../world.ts';
import type { WorldDue } from '../../world-data.ts';
import { toPage } from '../page.ts';
import { showEndpoint } from './callbacks.ts';
import { badCursor, type ControlHandlers, type ControlParts, noteSetting, ok, projectOf, refuse } from './handler.ts';

type ProjectIds =
  | 'listProjects'
  | 'getProject'
  | 'resetProject'
  | 'resetAll'
  | 'getClock'
  | 'putClock'
  | 'advanceClock'
  | 'listPending';

/** Instructions and attempts still to come. */
function countPending(world: World | undefined): number {
  const { instructions, callbacks } = world?.pending() ?? { instructions: 0, callbacks: 0 };
  return instructions + callbacks;
}

/** The clock of a project; one that nobody has written to has the clock that it would be made with. */
function showClock(parts: ControlParts, world: World | undefined) {
  const mode = world?.data.clock.mode ?? parts.defaultClock.mode;
  const now = world?.now() ?? parts.defaultClock.nowMs ?? parts.wall.now();
  return { mode, now: toTimestamp(now), pending: countPending(world) };
}

function showProject(parts: ControlParts, id: string) {
  const world = parts.worlds.find(id);
  const { jobs, orders, routes, users, devices } = world?.data.records ?? createRecords();
  return {
    id,
    counts: {
      jobs: jobs.size,
      orders: orders.size,
      routes: routes.size,
      users: users.size,
      locations: devices.size,
      requests: parts.journal.list(id).length,
      callbacks: world?.data.callbacks.size ?? 0,
      pending: countPending(world),
    },
    clock: showClock(parts, world),
    scenarios: world?.scenarios.map(({ name }) => name) ?? [],
    callbackEndpoint: showEndpoint(world ? world.data.endpoint : parts.defaultEndpoint),
  };
}

function showDue({ dueAt, what }: Due<WorldDue>) {
  const at = { dueAt: toTimestamp(dueAt), kind: what.kind };
  if (what.kind === 'attempt') return { ...at, callbackId: what.callbackId };
  if (what.kind === 'release') return at;
  const { operation, requestId, task, failures } = what.instruction;
  return { ...at, operation, requestId, entries: task.entries.length + failures.length };
}

/** A day: no story is longer, and a clock must not run away. */
const longestIdleMs = 24 * 3_600_000;

/** The last instant that a timestamp can say. */
const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Where an advance goes, once those before it have ended. */
function toTarget(world: World, body: { by?: string; to?: string; until?: 'idle' }): { to: number; stopIdle: boolean } {
  const now = world.now();
  if (body.until) return { to: Math.min(now + longestIdleMs, lastMs), stopIdle: true };
  if (body.by !== undefined) return { to: Math.min(now + (parseDuration(body.by) ?? 0), lastMs), stopIdle: false };
  return { to: parseTimestamp(body.to ?? '') ?? now, stopIdle: false };
}

async function advance(
  world: World,
  body: { by?: string; to?: string; until?: 'idle' },
): Promise<AdvanceResult | Problem> {
  try {
    return await world.schedule.advance(() => toTarget(world, body));
  } catch (error) {
    if (error instanceof Disposed)
      return { kind: 'conflict', message: 'the project was reset while its clock was advanced' };
    throw error;
  }
}

export const projectHandlers: ControlHandlers<ProjectIds> = {
  listProjects: (parts, { query }) => {
    const page = toPage(parts.worlds.list(), query, parts.worlds.ordinalOf, ({ id }) => showProject(parts, id));
    return page ? ok(page) : badCursor;
  },
  getProject: (parts, request) => ok(showProject(parts, projectOf(request))),
  resetProject: (parts, request) => ok({ cancelled: parts.worlds.reset(projectOf(request)) }),

  resetAll: (parts) => {
    const cancelled = parts.worlds.resetAll();
    const sum = (key: 'instructions' | 'callbacks') => cancelled.reduce((total, one) => total + one[key], 0);
    return ok({
      projects: cancelled.length,
      cancelled: { instructions: sum('instructions'), callbacks: sum('callbacks') },
    });
  },

  getClock: (parts, request) => ok(showClock(parts, parts.worlds.find(projectOf(request)))),

  putClock: (parts, request) => {
    const { mode, now } = request.body as { mode: 'real' | 'frozen'; now?: string };
    const current = showClock(parts, parts.worlds.find(projectOf(request))).now;
    const wanted = now === undefined ? undefined : parseTimestamp(now);
    if (wanted !== undefined && wanted < (parseTimestamp(current) ?? 0)) {
      return refuse('conflict', `a clock never goes back: it shows ${current}`, '/now');
    }
    const world = parts.worlds.open(projectOf(request));
    if (world.schedule.isAdvancing()) return refuse('conflict', 'the clock is being advanced at this moment');
    // Read once, so that the recording says what the clock was set to.
    const to = wanted ?? world.moment();
    noteSetting(parts, world, { kind: 'clock', mode, now: toTimestamp(to) });
    world.setClock(mode, to);
    return ok(showClock(parts, world));
  },

  advanceClock: async (parts, request) => {
    const body = request.body as { by?: string; to?: string; until?: 'idle' };
    const clock = showClock(parts, parts.worlds.find(projectOf(request)));
    if (clock.mode === 'real')
      return refuse(
        'conflict',
        'a real clock can\'t be advanced: freeze it first, PUT {"mode": "frozen"} to its clock',
      );
    if (body.by !== undefined && parseDuration(body.by) === undefined) {
      return refuse('invalid', `expected at most ${longestDuration}, got ${body.by}`, '/by');
    }
    if (body.to !== undefined && (parseTimestamp(body.to) ?? 0) < (parseTimestamp(clock.now) ?? 0)) {
      return refuse('conflict', `a clock never goes back: it shows ${clock.now}`, '/to');
    }
    const world = parts.worlds.open(projectOf(request));
    const result = await advance(world, body);
    if ('kind' in result) return { problem: result };
    const { now, processed, delivered } = result;
    noteSetting(parts, world, { kind: 'advance', to: toTimestamp(now) });
    return ok({ now: toTimestamp(now), processed, delivered, pending: countPending(world) });
  },

  listPending: (parts, request) => {
    const due = parts.worlds.find(projectOf(request))?.data.due ?? [];
    const page = toPage(due, request.query, (_one, index) => index, showDue);
    return page ? ok(page) : badCursor;
  },
};

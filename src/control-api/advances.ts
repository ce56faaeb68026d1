/** Control API handlers that advance a frozen clock, and list what each advance did. */
import { parseDuration } from '../lib/duration.ts';
import type { Problem } from '../lib/problem.ts';
import type { Slices } from '../lib/slices.ts';
import { maxClockMs, parseTimestamp, toTimestamp } from '../lib/time.ts';
import type { Advance, StartedAdvance } from '../project/advance-log.ts';
import type { Project } from '../project/project.ts';
import { Disposed, type ScheduleAdvance } from '../project/schedule.ts';
import {
  type ControlHandlers,
  type OperationRequest,
  ok,
  recordSetting,
  reject,
  type Schema,
  slicesFor,
} from './handler.ts';
import { checkLatest, showClock, totalPending } from './projects.ts';

/** Maximum advance with `until: idle`, one day, so that endless follow-up work can't advance the clock forever. */
const maxIdleMs = 24 * 3_600_000;

type Wanted = OperationRequest<'advanceClock'>['body'];

/** Returns the target of an advance; called after earlier advances have ended. */
function toTarget(project: Project, body: Wanted): { to: number; stopIdle: boolean } {
  const now = project.now();
  // Limits the target again: another request may have advanced the clock since it was checked.
  if (body.until) return { to: Math.min(now + maxIdleMs, maxClockMs), stopIdle: true };
  if (body.by !== undefined) return { to: Math.min(now + (parseDuration(body.by) ?? 0), maxClockMs), stopIdle: false };
  return { to: parseTimestamp(body.to ?? '') ?? now, stopIdle: false };
}

async function advance(project: Project, body: Wanted, slices: Slices): Promise<ScheduleAdvance | Problem> {
  let started: StartedAdvance | undefined;
  try {
    const result = await project.schedule.advance(() => {
      started = project.advances.begin(project.now());
      return toTarget(project, body);
    }, slices);
    started?.end({ ...result, pending: totalPending(project) });
    return result;
  } catch (error) {
    if (error instanceof Disposed)
      return {
        kind: 'conflict',
        message: 'the project was reset, or the sandbox stopped, while its clock was advanced',
      };
    throw error;
  }
}

function showAdvance({ from, to, work, workOmitted, ...counts }: Advance): Schema<'ClockAdvance'> {
  return {
    ...counts,
    from: toTimestamp(from),
    to: toTimestamp(to),
    work: work.map(({ at, ...done }) => ({ at: toTimestamp(at), ...done })),
    workOmitted: workOmitted || undefined,
  };
}

export const advanceHandlers: ControlHandlers<'advanceClock' | 'listAdvances'> = {
  advanceClock: async (parts, request, existing) => {
    const { body } = request;
    const clock = showClock(parts, existing);
    if (clock.mode === 'real')
      return reject(
        'conflict',
        'only a frozen clock can be advanced: freeze it first, PUT {"mode": "frozen"} to the clock',
      );
    const nowMs = parseTimestamp(clock.now) ?? 0;
    const tooLate =
      checkLatest('/by', nowMs + (parseDuration(body.by ?? '') ?? 0), `${body.by} after ${clock.now}`) ??
      checkLatest('/to', parseTimestamp(body.to ?? ''), body.to);
    if (tooLate) return tooLate;
    if (body.to !== undefined && (parseTimestamp(body.to) ?? 0) < nowMs) {
      return reject('conflict', `the clock only moves forward: it shows ${clock.now}, got ${body.to}`, '/to');
    }
    const project = parts.projects.open(request.params.projectId);
    const result = await advance(project, body, slicesFor(parts, request));
    if ('kind' in result) return { problem: result };
    const { now, processed, delivered } = result;
    recordSetting(parts, project, { kind: 'advance', to: toTimestamp(now) });
    return ok({ now: toTimestamp(now), processed, delivered, pending: totalPending(project) });
  },

  listAdvances: (_parts, _request, project) => ok({ items: project?.advances.list().map(showAdvance) ?? [] }),
};

/** Lets a test control a project's clock. */
import { toTimestamp } from '../../lib/time.ts';
import type { ControlClient } from '../control-client.ts';
import type { AdvanceView, ClockView, Duration } from '../types.ts';
import { toDurationText } from './waiting.ts';

/** A project's clock. While it is frozen, nothing happens after a response until the clock is advanced. */
export interface ProjectClock {
  /** Returns the clock's mode and time. */
  read(): Promise<ClockView>;
  /** Freezes the clock at its current time, or at a later time `now`. */
  freeze(now?: string | Date): Promise<ClockView>;
  /**
   * Advances the clock immediately, and resolves when everything that was due by then has happened. `'idle'` advances
   * until nothing is pending, by 24 hours at most.
   */
  advance(by: Duration | 'idle'): Promise<AdvanceView>;
  /** Ends the freeze: time passes by itself again. */
  resume(): Promise<ClockView>;
}

export function createProjectClock(client: ControlClient, path: string): ProjectClock {
  return {
    read: () => client.ask('GET', `${path}/clock`),
    freeze: (now) =>
      client.ask('PUT', `${path}/clock`, { mode: 'frozen', ...(now !== undefined && { now: toInstant(now) }) }),
    advance: (by) =>
      client.ask('POST', `${path}/clock/advance`, by === 'idle' ? { until: 'idle' } : { by: toDurationText(by) }),
    resume: () => client.ask('PUT', `${path}/clock`, { mode: 'real' }),
  };
}

function toInstant(now: string | Date): string {
  return typeof now === 'string' ? now : toTimestamp(now.getTime());
}

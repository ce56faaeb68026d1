/** A project's clock as a test steers it. */
import { toTimestamp } from '../base/time.ts';
import type { ControlClient } from './control-client.ts';
import type { AdvanceResult, ClockState, Duration } from './types.ts';
import { toDurationText } from './waiting.ts';

/** The time that a project lives in. Frozen, nothing happens after a response until it is advanced. */
export interface ProjectClock {
  /** What time it is there. */
  read(): Promise<ClockState>;
  /** Stops it, at its own time or at a later one. */
  freeze(now?: string | Date): Promise<ClockState>;
  /**
   * Lets time pass at once, and resolves when all that was due by then has happened. `'idle'`: until nothing is
   * pending, 24 hours at most.
   */
  advance(by: Duration | 'idle'): Promise<AdvanceResult>;
  /** Lets it pass by itself again. */
  resume(): Promise<ClockState>;
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

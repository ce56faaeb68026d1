/** Reads a project's clock, and calculates its current time from that reading. */
import { callApi, projectPath, type Schemas } from './client.ts';

export interface ClockReading {
  readonly clock: Schemas['Clock'];
  /** When the clock was read, as `performance.now()` of this page. */
  readonly readAt: number;
}

export async function readClock(project: string): Promise<ClockReading> {
  const clock = await callApi<Schemas['Clock']>('GET', projectPath(project, '/clock'));
  return { clock, readAt: performance.now() };
}

/** Returns the current time of the project, in milliseconds since 1970. */
export function nowOf({ clock, readAt }: ClockReading): number {
  return Date.parse(clock.now) + (clock.rate ?? 0) * (performance.now() - readAt);
}

/** Returns the current time of a real clock, or undefined if the clock is frozen or not loaded yet. */
export function runningNow(reading: ClockReading | undefined): number | undefined {
  return reading?.clock.mode === 'real' ? nowOf(reading) : undefined;
}

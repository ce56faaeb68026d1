/** A project's clock as it was told once, and what it shows since. */
import { ask, ofProject, type Schemas } from './client.ts';

export interface ToldClock {
  readonly clock: Schemas['Clock'];
  /** When it was told, on the clock of this page. */
  readonly toldAt: number;
}

export async function askClock(project: string): Promise<ToldClock> {
  const clock = await ask<Schemas['Clock']>('GET', ofProject(project, '/clock'));
  return { clock, toldAt: performance.now() };
}

/** The project's now, in milliseconds since 1970. */
export function nowOf({ clock, toldAt }: ToldClock): number {
  return Date.parse(clock.now) + (clock.mode === 'real' ? performance.now() - toldAt : 0);
}

/** The same where the clock runs, undefined where it stands or is not known yet. */
export function runningNow(told: ToldClock | undefined): number | undefined {
  return told?.clock.mode === 'real' ? nowOf(told) : undefined;
}

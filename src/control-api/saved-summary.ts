/** Summarises a project that leaves memory, so that it can be listed without being loaded. */
import { parseTimestamp, toTimestamp } from '../lib/time.ts';
import type { components } from '../openapi/control.gen.ts';
import { admin, type Caller } from './caller.ts';
import type { ControlParts } from './handler.ts';
import { showLimits, showProject } from './projects.ts';

type Summary = components['schemas']['ProjectSummary'];

/** A summary at a time of the wall clock. */
interface SavedSummary {
  readonly atMs: number;
  readonly shown: Summary;
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
export function showSummary(parts: ControlParts, text: string, { key, mayUse }: Caller): Summary {
  const { atMs, shown } = JSON.parse(text) as SavedSummary;
  const { forkedFrom, clock, ...rest } = shown;
  const passedMs = (parts.wall.now() - atMs) * (clock.rate ?? 0);
  const now = toTimestamp(Math.round((parseTimestamp(clock.now) ?? 0) + passedMs));
  return {
    ...rest,
    limits: showLimits(parts, key),
    clock: { ...clock, now },
    ...(forkedFrom && mayUse(forkedFrom.project) && { forkedFrom }),
  };
}

/**
 * Lets heavy work run one piece at a time, each in its own turn of the event loop, so that it delays small requests by one
 * piece at most. API keys take turns, and the projects of a key take turns within those.
 */
import { timers } from '../lib/timers.ts';

/** Minimum length of a body for which its request waits for a turn, in characters. Parsing less takes a few milliseconds. */
const heavyLength = 100_000;

export interface Turns {
  /** Resolves when it is the turn of this work, which then runs until its next `await`. */
  next(key: string, project: string): Promise<void>;
}

/** Whether a request with this text waits for a turn. */
export function isHeavy(text: string): boolean {
  return text.length > heavyLength;
}

type Start = () => void;

export function createTurns(): Turns {
  /** Waiting work by key and project; the first of each is next. */
  const keys = new Map<string, Map<string, Start[]>>();
  let isRunning = false;

  function runNext(): void {
    const next = takeFirst(keys, (projects) => takeFirst(projects, (starts) => starts.shift()));
    isRunning = next !== undefined;
    if (!next) return;
    timers.setImmediate(runNext);
    next();
  }

  return {
    next: (key, project) =>
      new Promise((resolve) => {
        const projects = keys.get(key) ?? new Map<string, Start[]>();
        const starts = projects.get(project) ?? [];
        starts.push(resolve);
        keys.set(key, projects.set(project, starts));
        if (isRunning) return;
        isRunning = true;
        timers.setImmediate(runNext);
      }),
  };
}

/** Takes from the first part, which then becomes the last one, or is removed if it is empty. */
function takeFirst<Part extends { readonly size?: number; readonly length?: number }>(
  parts: Map<string, Part>,
  take: (part: Part) => Start | undefined,
): Start | undefined {
  for (const [name, part] of parts) {
    const start = take(part);
    parts.delete(name);
    if ((part.size ?? part.length ?? 0) > 0) parts.set(name, part);
    return start;
  }
  return undefined;
}

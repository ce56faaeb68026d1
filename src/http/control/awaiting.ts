/** Lists that can wait: `await=5s&min=2` answers as soon as so many items match, or at the end of that time. */
import { parseDuration } from '../../base/duration.ts';
import { type Changes, waitUntil } from '../../journal/await.ts';
import type { ControlParts, ControlRequest } from './handler.ts';

/**
 * Waits where the request asks for it until `count()` is enough, the time is over, the project was reset, or the client
 * has gone.
 * @returns what is to be said of it beside the list
 */
export async function awaitEnough(
  { worlds, wall }: ControlParts,
  { query, onLeave }: ControlRequest,
  project: string | undefined,
  count: () => number,
  changes: Changes,
): Promise<{ satisfied?: boolean }> {
  if (query['await'] === undefined) return {};
  const ms = parseDuration(String(query['await'])) ?? 0;
  const least = Number(query['min'] ?? 1);
  const ends = {
    subscribe: (listener: () => void) => {
      const forget = [worlds.onReset(project, listener), onLeave?.(listener)];
      return () => forget.forEach((end) => void end?.());
    },
  };
  return { satisfied: await waitUntil(() => count() >= least, changes, ends, ms, wall) };
}

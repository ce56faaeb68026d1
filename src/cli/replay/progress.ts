/** Creates the progress line of a replay, which overwrites itself and is cleared at the end. */
import type { WallClock } from '../../lib/time.ts';
import { count } from '../output/text.ts';

/** Minimum time between updates of the progress line, in milliseconds. */
const intervalMs = 100;

export interface ReplayProgress {
  at(replayed: number): void;
  end(): void;
}

export function createProgress(
  showLine: ((text: string) => void) | undefined,
  wall: WallClock,
  total: number,
): ReplayProgress {
  let shownMs = wall.elapsed();
  let isShown = false;
  return {
    at: (replayed) => {
      const nowMs = wall.elapsed();
      if (!showLine || nowMs - shownMs < intervalMs) return;
      shownMs = nowMs;
      isShown = true;
      showLine(`\r${replayed.toLocaleString('en')} of ${count(total, 'change')} replayed`);
    },
    end: () => {
      if (isShown) showLine?.('\r\u001b[2K');
    },
  };
}

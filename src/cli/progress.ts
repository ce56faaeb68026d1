/** The line at the foot of a terminal that tells how far a run is, while the command writes above it. */
import type { WallClock } from '../base/time.ts';

/** The part of a terminal that is written to. */
export interface Terminal {
  readonly isTTY?: boolean;
  readonly rows?: number;
  readonly columns?: number;
  write(text: string): void;
}

const everyMs = 500;

/**
 * Shows `text()` twice a second; gives back what ends that and clears the line. The rows above are made a region of their
 * own, so that what the command has begun to write is not overwritten. Where there is no terminal nothing is shown, nor on
 * one of a `kind` that knows no cursor.
 */
export function showProgress(terminal: Terminal, wall: WallClock, text: () => string, kind?: string): () => void {
  const { isTTY = false, rows = 0 } = terminal;
  if (!isTTY || rows < 3 || kind === 'dumb') return () => undefined;
  const atFoot = (shown: string): string => `\u001b7\u001b[${rows};1H\u001b[2K${shown}\u001b8`;
  let cancel = (): void => undefined;
  const draw = (): void => {
    terminal.write(atFoot(text().slice(0, (terminal.columns ?? 80) - 1)));
    cancel = wall.after(everyMs, draw);
  };
  terminal.write(`\n\u001b7\u001b[1;${rows - 1}r\u001b8\u001b[1A`);
  draw();
  return () => {
    cancel();
    terminal.write(`\u001b7\u001b[r\u001b8${atFoot('')}`);
  };
}

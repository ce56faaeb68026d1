/** Shows a progress line in the last row of a terminal, while a command writes above it. */
import type { WallClock } from '../../lib/time.ts';

/** The parts of a terminal stream that are used here. */
export interface Terminal {
  readonly isTTY?: boolean;
  readonly rows?: number;
  readonly columns?: number;
  write(text: string): void;
}

/** How often the line is updated, in milliseconds. */
const intervalMs = 500;

/**
 * Shows `text()` twice a second. Makes the rows above a scroll region, so that the line overwrites no output of
 * the command. Shows nothing if the stream is not a terminal, or if `kind` (the value of TERM) is `dumb`.
 * @returns a function that stops the updates and clears the line
 */
export function showProgress(terminal: Terminal, wall: WallClock, text: () => string, kind?: string): () => void {
  const { isTTY = false, rows = 0 } = terminal;
  if (!isTTY || rows < 3 || kind === 'dumb') return () => undefined;
  const toLastRow = (shown: string): string => `\u001b7\u001b[${rows};1H\u001b[2K${shown}\u001b8`;
  let cancel = (): void => undefined;
  const draw = (): void => {
    terminal.write(toLastRow(text().slice(0, (terminal.columns ?? 80) - 1)));
    cancel = wall.after(intervalMs, draw);
  };
  terminal.write(`\n\u001b7\u001b[1;${rows - 1}r\u001b8\u001b[1A`);
  draw();
  return () => {
    cancel();
    terminal.write(`\u001b7\u001b[r\u001b8${toLastRow('')}`);
  };
}

/** Shows how far a series of runs is: one line that is drawn again in a terminal, and now and then a line elsewhere. */
import type { WallClock } from '../../lib/time.ts';
import { type Io, printTo } from '../frame/io.ts';

/** How often the line is drawn in a terminal, and printed elsewhere, in milliseconds. */
const drawMs = 500;
const printMs = 30_000;

export interface ProgressLine {
  /** Prints whole lines above it. */
  print(text: string): void;
  /** Stops it and clears it. */
  hide(): void;
}

/** Starts to show `text()`. */
export function showLine(
  { stderr, env }: Pick<Io, 'stderr' | 'env'>,
  wall: WallClock,
  text: () => string,
): ProgressLine {
  const { isTTY = false, columns = 0 } = stderr;
  const isTerminal = isTTY && columns > 0 && env['TERM'] !== 'dumb';
  const clear = '\r\u001b[2K';
  let cancel = (): void => undefined;
  const show = (isFirst: boolean): void => {
    if (isTerminal) stderr.write(clear + text().slice(0, (stderr.columns ?? columns) - 1));
    else if (!isFirst) printTo(stderr)(`${text()}\n`);
    cancel = wall.after(isTerminal ? drawMs : printMs, () => show(false));
  };
  const hide = (): void => {
    cancel();
    if (isTerminal) stderr.write(clear);
  };
  const print = (lines: string): void => {
    hide();
    printTo(stderr)(lines);
    show(true);
  };
  show(true);
  return { print, hide };
}

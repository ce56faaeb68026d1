/** Shows how far a series of runs is: one line that is drawn again in a terminal, and now and then a line elsewhere. */
import type { WallClock } from '../../lib/time.ts';
import { type Io, printTo } from '../frame/io.ts';

/** How often the line is drawn in a terminal, and printed elsewhere, in milliseconds. */
const drawMs = 500;
const printMs = 30_000;

/** Starts to show `text()`. @returns a function that stops it and clears the line */
export function showLine({ stderr, env }: Pick<Io, 'stderr' | 'env'>, wall: WallClock, text: () => string): () => void {
  const { isTTY = false, columns = 0 } = stderr;
  const isTerminal = isTTY && columns > 0 && env['TERM'] !== 'dumb';
  const clear = '\r\u001b[2K';
  let cancel = (): void => undefined;
  const later = (): void => {
    cancel = wall.after(isTerminal ? drawMs : printMs, show);
  };
  const show = (): void => {
    if (isTerminal) stderr.write(clear + text().slice(0, (stderr.columns ?? columns) - 1));
    else printTo(stderr)(`${text()}\n`);
    later();
  };
  if (isTerminal) show();
  else later();
  return () => {
    cancel();
    if (isTerminal) stderr.write(clear);
  };
}

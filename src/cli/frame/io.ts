/** The streams and the environment of a command. `process` is one; a test has its own. */
import type { Writable } from 'node:stream';
import { toTerminal } from '../../diagnostics/line-excerpt.ts';

/** A stream, which may be a terminal. */
type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: NodeJS.ProcessEnv;
  /** Ends `listen`, `sweep` and `prove`, as the signals of the process do. */
  readonly signal?: AbortSignal;
}

/** Line width without a terminal, or in one that does not know its size, in characters. */
const defaultWidth = 120;

/** Returns the maximum length of a line of the output, in characters. */
export function widthOf({ stdout }: Pick<Io, 'stdout'>): number {
  return stdout.columns || defaultWidth;
}

/** Creates a function that writes text to a stream, without control characters from elsewhere. */
export function printTo(stream: Writable): (text: string) => void {
  return (text) => void stream.write(toTerminal(text));
}

/** Writes text as `printTo` does. @returns when it is written */
export function writeAll(stream: Writable, text: string): Promise<void> {
  return new Promise((written) => void stream.write(toTerminal(text), () => written()));
}

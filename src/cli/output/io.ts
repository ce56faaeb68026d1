/** The streams and the environment of a command. `process` is one; a test has its own. */
import type { Writable } from 'node:stream';
import type { Terminal } from './progress.ts';

type Output = Writable & Omit<Terminal, 'write'>;

export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: NodeJS.ProcessEnv;
  /** Ends `listen`, as the signals of the process do. */
  readonly signal?: AbortSignal;
}

/** Creates a function that writes text to a stream. */
export function printTo(stream: Writable): (text: string) => void {
  return (text) => void stream.write(text);
}

/** Writes text to a stream. @returns when it is written */
export function writeAll(stream: Writable, text: string): Promise<void> {
  return new Promise((written) => void stream.write(text, () => written()));
}

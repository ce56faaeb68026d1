/** The errors that the test kit throws. */
import { inspect } from 'node:util';
import { isNativeError } from 'node:util/types';
import type { Mistake } from './types.ts';

interface Details {
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly violations?: readonly Mistake[];
  readonly cause?: unknown;
}

/** Error of the test kit. Its message includes all mistakes. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
  /** HTTP status if the control API rejected the request; otherwise undefined. */
  declare readonly status: number | undefined;
  /** What kind of error it is, such as `conflict`, `timeout`, `not_verified`, `unreachable` or `invalid_argument`. */
  declare readonly code: string;
  /** Every mistake: its place, and the value expected there. */
  declare readonly violations: readonly Mistake[];

  /** Adds one line to the message for each mistake that it does not mention yet. */
  constructor(message: string, { status, code = 'invalid_argument', violations = [], cause }: Details = {}) {
    const missing = violations.filter(({ path, message: text }) => !message.includes(path) || !message.includes(text));
    const text = [message, ...missing.map((mistake) => `  ${mistake.path}: ${mistake.message}`)].join('\n');
    super(text, cause === undefined ? {} : { cause });
    // Not enumerable: the message already has this information, so printing the error does not repeat it.
    Object.defineProperties(this, {
      name: { value: 'SandboxError' },
      status: { value: status },
      code: { value: code },
      violations: { value: violations },
    });
  }
}

/** Returns what a function of a test has thrown as text. `String` throws for objects without a prototype. */
export function toErrorText(thrown: unknown): string {
  // Jest's errors are not instances of the package's `Error`.
  return typeof thrown !== 'object' || isNativeError(thrown) ? String(thrown) : inspect(thrown);
}

/** Creates the error of mistakes whose texts name their places, such as lines of a file. */
export function toMistaken(mistakes: readonly string[], prefix = ''): SandboxError {
  const violations = mistakes.map((message) => ({ path: '', message }));
  return new SandboxError(prefix + mistakes.join('\n'), { violations });
}

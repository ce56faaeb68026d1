/** Creates the errors that the test kit throws. */
import type { Mistake } from './types.ts';

/** Error of the test kit. Its message includes all mistakes. */
export interface SandboxError extends Error {
  readonly name: 'SandboxError';
  /** HTTP status if the control API rejected the request; otherwise undefined. */
  readonly status: number | undefined;
  /** Every mistake, with its place. */
  readonly errors: readonly Mistake[];
}

/** Creates an error. Adds one line for each mistake that the message does not mention yet. */
export function createSandboxError(
  message: string,
  { status, errors = [], cause }: { status?: number; errors?: readonly Mistake[]; cause?: unknown } = {},
): SandboxError {
  const missing = errors.filter(({ path, message: text }) => !message.includes(path) || !message.includes(text));
  const text = [message, ...missing.map((mistake) => `  ${mistake.path}: ${mistake.message}`)].join('\n');
  const error = new Error(text, cause === undefined ? {} : { cause });
  // Not enumerable: the message already has this information, so printing the error does not repeat it.
  return Object.defineProperties(error, {
    name: { value: 'SandboxError' },
    status: { value: status },
    errors: { value: errors },
  }) as SandboxError;
}

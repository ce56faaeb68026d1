/** The errors that the kit throws: a message that says it all, and the mistakes one by one. */
import type { Mistake } from './types.ts';

/** What the kit throws. */
export interface SandboxError extends Error {
  readonly name: 'SandboxError';
  /** The HTTP status where the control API refused; undefined elsewhere. */
  readonly status: number | undefined;
  /** Each mistake by its place. */
  readonly errors: readonly Mistake[];
}

/** Makes an error. Mistakes that the message does not show already stand below it, a line each. */
export function createSandboxError(
  message: string,
  { status, errors = [], cause }: { status?: number; errors?: readonly Mistake[]; cause?: unknown } = {},
): SandboxError {
  const untold = errors.filter(({ path, message: text }) => !message.includes(path) || !message.includes(text));
  const text = [message, ...untold.map((mistake) => `  ${mistake.path}: ${mistake.message}`)].join('\n');
  const error = new Error(text, cause === undefined ? {} : { cause });
  // Not enumerable: whoever prints the error has read them in its message.
  return Object.defineProperties(error, {
    name: { value: 'SandboxError' },
    status: { value: status },
    errors: { value: errors },
  }) as SandboxError;
}

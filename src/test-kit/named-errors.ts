/** Lets errors speak of the method that a test has called, and of its arguments, in place of a request of the control API. */
import { didYouMean } from '../lib/nearest.ts';
import { SandboxError } from './sandbox-error.ts';

/** Calls a method. An error of the control API gets the name of the method, and its places become arguments. */
export async function named<Result>(method: string, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof SandboxError) || error.status === undefined) throw error;
    const { status, code, cause } = error;
    const [only, ...others] = error.violations;
    // The place alone is missing.
    const isOnly = only !== undefined && others.length === 0 && error.message.startsWith(`${only.message}\n`);
    let text = isOnly && only.path !== '' ? `${only.path}: ${only.message}` : error.message;
    // The longest first: a place may begin with another one.
    const paths = error.violations.flatMap(({ path }) => [path, ...path.split(/(?<=^\/\w+\/\d+)\//, 1)]);
    for (const path of paths.toSorted((a, b) => b.length - a.length))
      if (path !== '') text = text.replaceAll(path, toArgument(path));
    const violations = error.violations.map((one) => ({ ...one, path: toArgument(one.path) }));
    throw new SandboxError(`${method}: ${text}`, { status, code, violations, cause });
  }
}

/** Returns a place as code has it: `scenarios[0].rules[1]` for `/scenarios/0/rules/1`, `status` for `query:status`. */
function toArgument(path: string): string {
  if (!path.startsWith('/')) return path.replace(/^(query|path):/, '');
  const keys = path.slice(1).split('/');
  return keys.map((key, index) => (/^\d+$/.test(key) ? `[${key}]` : index === 0 ? key : `.${key}`)).join('');
}

/** Checks that options are an object with these keys alone. @throws SandboxError */
export function checkKeys(method: string, options: unknown, keys: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new SandboxError(`${method}: expected an object with ${keys.join(', ')}, got ${show(options)}`);
  const unknown = Object.keys(options).find((key) => !keys.includes(key));
  if (unknown === undefined) return;
  const expected = keys.length === 0 ? 'nothing' : keys.join(', ');
  throw new SandboxError(`${method}: unknown "${unknown}"${didYouMean(unknown, keys)}; expected ${expected}`);
}

/** Shows a value in a message. */
export function show(value: unknown): string {
  return (value instanceof RegExp ? undefined : JSON.stringify(value)) ?? String(value);
}

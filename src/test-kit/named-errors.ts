/** Lets errors speak of the method that a test has called, and of its arguments, in place of a request of the control API. */
import { SandboxError } from './sandbox-error.ts';

/** Calls a method. An error of the control API gets the name of the method, and its places become arguments. */
export async function named<Result>(method: string, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof SandboxError) || error.status === undefined) throw error;
    const { status, code, cause } = error;
    let text = error.message;
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

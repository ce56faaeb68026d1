/** Checks the arguments of the methods that a test calls, and lets errors speak of the method and its arguments. */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { isDate } from 'node:util/types';
import { isValidRate, parseRate } from '../lib/clock.ts';
import { isObject } from '../lib/json.ts';
import { didYouMean } from '../lib/nearest.ts';
import { SandboxError } from './sandbox-error.ts';

/** Returns what was expected if a value is wrong. */
type Kind = (value: unknown) => string | undefined;
type Options = Readonly<Record<string, Kind>>;
/** The arguments of a method in their order. */
type Arguments = Readonly<Record<string, Kind | Options>>;

/** Creates the kind of an argument that must be given. */
function required(expected: string, is: (value: unknown) => boolean): Kind {
  return (value) => (is(value) ? undefined : expected);
}

/** Creates the kind of an argument that has a default, or of which the sandbox says that it is missing. */
function optional(expected: string, is: (value: unknown) => boolean): Kind {
  return required(expected, (value) => value === undefined || is(value));
}

const isText = (value: unknown): value is string => typeof value === 'string';
/** Whether a value is a valid `Date`, also one of a test runner's own. */
export const isInstant = (value: unknown): value is Date => isDate(value) && !Number.isNaN(value.getTime());
/** Whether a path can have a value: not half of a character. */
const isInPath = (value: unknown) => isText(value) && /^\P{Surrogate}*$/u.test(value);
export const isId = (value: unknown): value is string => value !== '' && isInPath(value);
const isPlain = (value: unknown) => ['string', 'number', 'boolean', 'undefined'].includes(typeof value);
const isStatus = (value: unknown) => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 999;
const isAnswer = (value: unknown): boolean => {
  if (!isObject(value)) return isStatus(value);
  const { status, headers = {}, body = '', ...others } = value;
  return (
    isStatus(status) &&
    isObject(headers) &&
    Object.entries(headers).every(isHeader) &&
    isJson(body) &&
    Object.keys(others).length === 0
  );
};
const isAnswerChoice = (value: unknown) => typeof value === 'function' || isAnswer(value);

/** What the sandbox alone checks. */
const sent: Kind = () => undefined;
const text = optional('a text', isText);
const id = required('an id', isId);
const texts = optional('a text or a list of texts', (value) => [value].flat().every(isText));
const flag = optional('true or false', (value) => typeof value === 'boolean');
const object = optional('an object', isObject);
const headers = optional(
  'texts or numbers by names of headers',
  (value) => isObject(value) && Object.entries(value).every(isHeader),
);
const json = optional('a value that JSON can express', isJson);
const filter = optional('an object with texts, numbers, true, false or lists of them', (value) => {
  return isObject(value) && Object.values(value).flat().every(isPlain);
});
const plain = optional('a text, a number, true, false or a list of them', (value) => [value].flat().every(isPlain));
const ids = optional('an id, a glob such as "ORD-*", or a list of them', (value) => {
  const all = [value].flat();
  return all.length > 0 && all.every((one) => isText(one) && one !== '');
});
const instant = optional('a time such as "2026-03-02T09:00:00Z", or a valid Date', (value) => {
  return isText(value) || isInstant(value);
});
const rate = optional('a rate from 0.1 to 1000, such as 20 or "20x"', (value) => {
  return isValidRate(Number(isText(value) ? parseRate(value) : value));
});
const answer = 'a status from 200 to 999, or { status, headers?, body? } with texts or numbers as headers';
const answerChoice = `${answer}, or a function that returns one`;

export const kinds: Readonly<Record<'positive' | 'answer' | 'answerChoice', Kind>> = {
  positive: optional('an integer from 1', (value) => Number.isSafeInteger(value) && Number(value) > 0),
  /** What a handler returns. */
  answer: required(answer, isAnswer),
  /** What a receiver is to answer. */
  answerChoice: required(answerChoice, isAnswerChoice),
};

const receiving = { secret: text, profile: text };
const failures = { operation: sent, kinds: sent };

/**
 * The arguments of each method, or of all that end with this name. Other methods check theirs themselves: `fail` and
 * `send` together with what they ask the sandbox.
 */
const methods: Readonly<Record<string, Arguments>> = {
  startSandbox: { options: object },
  failureCases: { options: failures },
  failureOptions: {
    options: { ...failures, timeout: sent, concurrency: kinds.positive },
    body: required('a function (project, failure) after the options', (value) => typeof value === 'function'),
  },
  createCallbackReceiver: { options: receiving },
  list: { filter: { status: plain, subProjectId: plain } },
  get: { id },
  'requests.list': { filter },
  'callbacks.list': { filter },
  'requests.waitFor': { filter },
  'callbacks.waitFor': { filter },
  waitFor: { filter: { type: text, verified: flag, count: sent, timeout: sent } },
  'callbacks.sendTo': { target: sent, options: { secret: text } },
  'clock.freeze': { now: instant },
  'clock.resume': { rate },
  failArguments: {
    operation: sent,
    kind: sent,
    options: { times: kinds.positive, nth: kinds.positive, ids, after: sent, processed: flag },
  },
  sendArguments: { operation: sent, body: json, options: { params: object, headers } },
  trigger: {
    type: text,
    options: { ids: texts, reason: text, operation: text, data: json, forge: text, copies: sent },
  },
  listen: { handler: optional(answerChoice, isAnswerChoice), options: { ...receiving, since: text, takeover: flag } },
  fork: { id: optional('an id', isInPath), options: { atChange: sent } },
  restore: { snapshot: required('what snapshot() returned', (value) => isObject(value) && isJson(value)) },
};

/** Returns methods that check their arguments, and whose errors name them with a prefix such as `clock.`. */
export function withChecks<Methods extends object>(prefix: string, unchecked: Methods): Methods {
  const entries = Object.entries(unchecked).map(([name, method]) => {
    const full = prefix + name;
    return [name, (...given: unknown[]) => named(full, given, async () => method(...given))];
  });
  return Object.fromEntries(entries) as Methods;
}

/** Calls a method after its arguments were checked. Its errors name it, and places of the control API become arguments. */
export async function named<Result>(
  method: string,
  given: readonly unknown[],
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    checkArguments(method, given);
    return await call();
  } catch (error) {
    throw toNamed(method, error);
  }
}

/** Returns an error that names the method. */
export function toNamed(method: string, error: unknown): unknown {
  if (!(error instanceof SandboxError) || error.message.startsWith(`${method}: `)) return error;
  const { status, code, cause } = error;
  const [only, ...others] = error.violations;
  // The place alone is missing.
  const isOnly = only !== undefined && others.length === 0 && error.message.startsWith(`${only.message}\n`);
  let message = isOnly && only.path !== '' ? `${only.path}: ${only.message}` : error.message;
  // The longest first: a place may begin with another one.
  const paths = error.violations.flatMap(({ path }) => [path, ...path.split(/(?<=^\/\w+\/\d+)\//, 1)]);
  for (const path of paths.toSorted((a, b) => b.length - a.length))
    if (path !== '') message = message.replaceAll(path, toArgument(path));
  const violations = error.violations.map((one) => ({ ...one, path: toArgument(one.path) }));
  return new SandboxError(`${method}: ${message}`, { status, code, violations, cause });
}

/** Returns a place as code has it: `scenarios[0].rules[1]` for `/scenarios/0/rules/1`, `status` for `query:status`. */
function toArgument(place: string): string {
  const path = place.replace('query:entity', 'entry').replace(/^\/failed(\/\d+)?(\/id)?$/, '/ids$1');
  if (!path.startsWith('/')) return path.replace(/^(query|path|header):/, '');
  const keys = path.slice(1).split('/');
  return keys.map((key, index) => (/^\d+$/.test(key) ? `[${key}]` : index === 0 ? key : `.${key}`)).join('');
}

/** Checks the arguments of a method. @throws SandboxError with all mistakes */
export function checkArguments(method: string, given: readonly unknown[]): void {
  const expected = methods[method] ?? methods[method.slice(method.lastIndexOf('.') + 1)] ?? {};
  checkAll(
    ...Object.entries(expected).map(([name, one], index) => () => {
      const value = given[index];
      if (typeof one === 'function') check(name, one, value);
      else if (value !== undefined) checkOptions(name, one, value);
    }),
  );
}

/** Runs all checks, and returns what they return. @throws SandboxError with the mistakes of all that throw one */
export function checkAll<Values extends readonly unknown[]>(
  ...checks: { readonly [Index in keyof Values]: () => Values[Index] }
): Values {
  const errors: SandboxError[] = [];
  const values = checks.map((run) => {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error;
      errors.push(error);
      return undefined;
    }
  });
  const [first, ...others] = errors;
  if (!first) return values as unknown as Values;
  if (others.length === 0) throw first;
  const violations = errors.flatMap((error) => error.violations);
  throw new SandboxError(errors.map(({ message }) => message).join('\n'), { violations });
}

function checkOptions(name: string, expected: Options, options: unknown): void {
  const values: Readonly<Record<string, unknown>> = Object(options);
  const checks = Object.entries(expected).map(
    ([key, one]) =>
      () =>
        check(key, one, values[key]),
  );
  checkAll(() => checkKeys('', options, Object.keys(expected), name === 'filter' ? 'key ' : ''), ...checks);
}

/** Checks that options are an object with these keys alone. @throws SandboxError */
export function checkKeys(
  path: string,
  options: unknown,
  keys: readonly string[],
  noun = '',
): asserts options is Readonly<Record<string, unknown>> {
  const expected = keys.length === 0 ? 'nothing' : keys.join(', ');
  if (!isObject(options)) throw mistakeAt(path, `expected an object with ${expected}, got ${show(options)}`);
  const unknown = Object.keys(options).filter((key) => !keys.includes(key));
  const named = unknown.map((key) => `"${key}"${didYouMean(key, keys)}`);
  if (named.length > 0) throw mistakeAt(path, `unknown ${noun}${named.join(' and ')}; expected ${expected}`);
}

/** Checks an argument or an option. @throws SandboxError */
export function check(name: string, one: Kind, value: unknown): void {
  const expected = one(value);
  if (expected !== undefined) throw mistakeAt(name, `expected ${expected}, got ${show(value)}`);
}

/** Creates the error of a wrong argument or option. */
export function mistakeAt(path: string, message: string): SandboxError {
  return new SandboxError(path === '' ? message : `${path}: ${message}`, { violations: [{ path, message }] });
}

/** Shows a value in a message. */
export function show(value: unknown): string {
  const isOther = typeof value === 'number' || value instanceof RegExp;
  return isJson(value) && !isOther ? JSON.stringify(value) : String(value);
}

/** Whether JSON can express a value. */
export function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

function isHeader([name, value]: readonly [string, unknown]): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, String(value));
    return isText(value) || typeof value === 'number';
  } catch {
    return false;
  }
}

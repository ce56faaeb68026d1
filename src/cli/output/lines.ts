/** Formats requests, and attempts of callbacks, as lines: of `logs`, and of the log in a terminal. */
import type { Schema } from '../../control-api/handler.ts';
import { withoutControls } from '../../diagnostics/line-excerpt.ts';
import { truncate } from '../../lib/format.ts';

type Row = Schema<'RequestRow'>;
type Problem = Schema<'RequestProblem'>;

/** What a line says of a request. */
export interface LoggedRequest
  extends Pick<Row, 'id' | 'at' | 'project' | 'operation' | 'method' | 'path' | 'status' | 'fault' | 'entries'> {
  /** Number of warnings. */
  readonly warnings: number;
}

/** What lines say of the attempts of a callback. `attempts` may lack the first ones. */
export interface LoggedCallback {
  readonly id: string;
  readonly type: string;
  readonly state: string;
  readonly dueAt: string;
  readonly attempts: readonly Attempt[];
  /** Number of all attempts. Default: that of `attempts`. */
  readonly attemptCount?: number;
}

type Attempt = Pick<Schema<'Attempt'>, 'at' | 'cause' | 'listener' | 'status' | 'error'>;

/** Width of the columns, in characters. Longer texts make a line longer. */
const operationWidth = 16;
const summaryWidth = 31;

/** Maximum length of a path or a reason, in characters. */
const maxLength = 200;

/** Formats a request. */
export function toRequestLine(request: LoggedRequest): string {
  const { id, at, operation, method, path, status } = request;
  const what = (operation ?? `${method} ${truncate(path, maxLength)}`).padEnd(operationWidth);
  const summary = toSummary(request).padEnd(summaryWidth);
  return withoutControls(`${toTime(at)} ${request.project ?? '-'}  ${what}  ${status}  ${summary}  ${id}`);
}

function toSummary({ status, fault, entries, warnings }: LoggedRequest): string {
  const { accepted, refused, failed, pending } = entries;
  const total = accepted + refused + failed;
  const noun = total === 1 ? 'entry' : 'entries';
  const outcome = status >= 500 ? 'failed' : status >= 400 ? 'rejected' : '';
  const parts = [
    fault === null ? '' : `connection ${fault}`,
    total > 0 ? `${total} ${noun}` : fault === null ? outcome : '',
    refused > 0 ? `${refused} rejected` : '',
    failed > 0 ? `${failed} failed later` : '',
    pending > 0 ? `${pending} pending` : '',
    warnings > 0 ? `${warnings} ${warnings === 1 ? 'warning' : 'warnings'}` : '',
  ];
  return parts.filter(Boolean).join(', ');
}

/** Formats an attempt, by its position in `attempts`. `showsId`: whether the line ends with the id of the callback. */
export function toAttemptLine(
  project: string,
  callback: LoggedCallback,
  index: number,
  showsId: boolean = numberOf(callback, index) === 1,
): string {
  const { id, type, attempts } = callback;
  const { at = '', cause = 'schedule' } = attempts[index] ?? {};
  const name = `attempt ${numberOf(callback, index)}${cause === 'schedule' ? '' : ` (${cause})`}`;
  return toCallbackLine({ at, project, type, name, result: toResult(callback, index), id: showsId ? id : undefined });
}

/**
 * Formats an attempt, of which a command may know more than the sandbox. `result` may have colours; `id` is that of the
 * callback.
 */
export function toCallbackLine({
  at,
  project,
  type,
  name,
  result,
  id,
}: Readonly<Record<'at' | 'project' | 'type' | 'name' | 'result', string>> & {
  readonly id: string | undefined;
}): string {
  return `${withoutControls(`${toTime(at)} ${project}    ${type}  ${name}`)}  ${result}${id === undefined ? '' : `  ${withoutControls(id)}`}`;
}

/** Returns the number of an attempt among all of its callback, from 1. */
export function numberOf({ attempts, attemptCount = attempts.length }: LoggedCallback, index: number): number {
  return attemptCount - attempts.length + index + 1;
}

/** Formats what came of an attempt, and what follows. */
function toResult(callback: LoggedCallback, index: number): string {
  const { at, cause, status, error, listener } = callback.attempts[index] as Attempt;
  if (status === undefined && error === undefined) return 'in the inbox';
  const result = `${listener ? 'listener' : 'receiver'}${status === undefined ? `: ${toError(error)}` : ` ${status}`}`;
  const isDelivered = status !== undefined && status >= 200 && status <= 299;
  if (isDelivered || cause !== 'schedule') return result;
  const next = callback.attempts.find((one, later) => later > index && one.cause === 'schedule')?.at;
  const retryAt = next ?? (callback.state === 'scheduled' ? callback.dueAt : undefined);
  if (retryAt !== undefined) return `${result}, retry in ${toSpan(Date.parse(retryAt) - Date.parse(at))}`;
  return callback.state === 'failed' ? `${result}, failed` : result;
}

/** Returns the error of an attempt, which may name the listener itself. */
function toError(error = ''): string {
  return withoutControls(truncate(error.replace(/^listener /, ''), maxLength));
}

/** Formats what went wrong with a request: each reason a line, the most telling ones first. */
export function toExplanation(problem: Problem): readonly string[] {
  const { mistakes, rules, others } = toReasons(problem);
  return [...mistakes, ...rules, ...others].map(toReasonLine);
}

/**
 * Formats the first mistake of a request, and the first rule that fired. `id`: the only entry that is asked for; a rule,
 * or another entry, is no explanation of one that has succeeded.
 */
export function toFirstReasons(problem: Problem, id: string | undefined): readonly string[] {
  const { mistakes, rules, others } = toReasons(problem, id);
  if (mistakes.length === 0 && problem.failed.length + problem.reported.length > 0) return [];
  const [first = others[0]] = [...mistakes, ...rules];
  const [rule] = mistakes.length > 0 ? rules : [];
  return [first, rule].flatMap((line) => (line === undefined ? [] : [toReasonLine(line)]));
}

function toReasons({ errors, message, rules, failed, reported, warnings }: Problem, id?: string) {
  const isAsked = (one: { readonly id: string }): boolean => id === undefined || one.id === id;
  const messages = message === '' ? [] : [message];
  return {
    mistakes: [
      ...(errors.length > 0 ? messages : []),
      ...failed.filter(isAsked).map((one) => `${one.id || '(no id)'} rejected: ${one.reason}`),
      ...reported.filter(isAsked).map((one) => `${one.id || '(no id)'} failed later: ${one.reason}`),
    ],
    rules: rules.map(({ scenario, rule, why }) => `rule ${scenario}/${rule}: ${why}`),
    others: [...(errors.length > 0 ? [] : messages), ...warnings.map((warning) => `warning: ${warning}`)],
  };
}

function toReasonLine(reason: string): string {
  return `    ${withoutControls(reason)}`;
}

/** Returns the time of day of a timestamp. */
function toTime(at: string): string {
  return at.slice(11, 23);
}

/** Formats a span of time, such as `200ms`, `5s` and `2m`. */
function toSpan(ms: number): string {
  if (ms < 1000) return `${Math.max(0, ms)}ms`;
  const seconds = Math.round(ms / 100) / 10;
  return seconds >= 60 && seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
}

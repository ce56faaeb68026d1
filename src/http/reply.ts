/** Answers as values; `wire.ts` writes them. */
import { catalogue, mostViolations, type Problem, type ProblemKind, toUsualMessage } from '../base/problem.ts';
import type { Findings } from '../contract/validate.ts';
import type { PlannedAnswer } from '../scenarios/effects/effect.ts';
import type { ConnectionFault } from '../scenarios/types.ts';

/** An answer: its body is text already, or nothing. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** The connection breaks in place of a whole answer. */
  readonly fault?: Fault;
  /** In place of `body`: what is written bit by bit, for as long as both sides stay. */
  readonly stream?: Stream;
}

/** How a connection breaks. */
export interface Fault {
  readonly kind: ConnectionFault;
  /** Calls back once the connection must not be held any longer; gives back what ends that. */
  readonly onEnd: (end: () => void) => () => void;
}

/** Where a stream writes to; what comes after the end, or after the client has left, goes nowhere. */
export interface StreamSink {
  write(text: string): void;
  end(): void;
}

/** Called once the head is written; what it gives back is called once, when the stream has ended or the client has left. */
export type Stream = (sink: StreamSink) => () => void;

const json = { 'content-type': 'application/json' } as const;

/** An answer of JSON. */
export function toJsonReply(status: number, value: unknown, headers?: Readonly<Record<string, string>>): Reply {
  return { status, headers: headers ? { ...json, ...headers } : json, body: JSON.stringify(value) };
}

/** The statuses of problems, some of which a profile may have changed. */
export type Statuses = Readonly<Partial<Record<ProblemKind, number>>>;

/** A refusal as an answer: `{ message, errors? }` with the catalogue's status. */
export function toProblemReply({ kind, message, errors, headers }: Problem, statuses: Statuses = {}): Reply {
  return toJsonReply(
    statusOf({ kind }, statuses),
    errors && errors.length > 0 ? { message, errors } : { message },
    headers,
  );
}

/** The status that a problem is answered with. */
export function statusOf({ kind }: Pick<Problem, 'kind'>, statuses: Statuses): number {
  return statuses[kind] ?? catalogue[kind];
}

/** In place of an answer that says what may be lost; its reason is in the log, under the request's id. */
export function toUnkeptReply(id: string): Reply {
  const message = `what has changed could not be written to its file, and may be lost; the log tells why under ${id}`;
  return toJsonReply(500, { message }, { 'x-request-id': id });
}

/** Statuses whose answers have no body. */
const bodiless: readonly number[] = [204, 205, 304];

/** An answer that a scenario asks for. */
export function toPlannedReply({ status, headers, body }: PlannedAnswer): Reply {
  const own = toOwnHeaders(headers);
  const value = body === undefined ? { message: toUsualMessage(status) } : body;
  if (bodiless.includes(status)) return { status, headers: own, body: undefined };
  return typeof value === 'string'
    ? { status, headers: { 'content-type': 'text/plain', ...own }, body: value }
    : toJsonReply(status, value, own);
}

/** Say how long a body is and how it is cut into pieces: the wire's own, a second word makes the answer no HTTP. */
const framing: readonly string[] = ['content-length', 'transfer-encoding', 'trailer'];

/** A scenario's headers in small letters, as ours are: names are the same however they are written. */
function toOwnHeaders(headers: PlannedAnswer['headers']): Readonly<Record<string, string>> {
  const small = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(small.filter(([name]) => !framing.includes(name)));
}

/** The refusal of a request by what is wrong with its shape: all of it, to a bound, and the count of the rest. */
export function toInvalid({
  violations,
  violationCount: count,
  isCutShort,
}: Pick<Findings, 'violations' | 'violationCount' | 'isCutShort'>): Problem {
  const [first] = violations;
  const where = first && first.path !== '' ? `${first.path}: ` : '';
  const rest = count - Math.min(count, mostViolations);
  const more = rest > 0 ? ` (and ${rest.toLocaleString('en')} more)` : '';
  const message =
    count === 1
      ? `${where}${first?.message}`
      : `${isCutShort ? 'at least ' : ''}${count.toLocaleString('en')} mistakes, the first: ${where}${first?.message}${more}`;
  return { kind: 'invalid', message, errors: violations.slice(0, mostViolations) };
}

/** Answers as values, and the one place that writes them to the wire. */
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  catalogue,
  mostViolations,
  type Problem,
  type ProblemKind,
  toUsualMessage,
  type Violation,
} from '../base/problem.ts';
import type { PlannedAnswer } from '../scenarios/effects/effect.ts';

/** An answer: its body is text already, or nothing. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

const json = { 'content-type': 'application/json' } as const;

/** An answer of JSON. */
export function toJsonReply(status: number, value: unknown, headers?: Readonly<Record<string, string>>): Reply {
  return { status, headers: headers ? { ...json, ...headers } : json, body: JSON.stringify(value) };
}

/** The statuses of problems, some of which a profile may have changed. */
export type Statuses = Readonly<Partial<Record<ProblemKind, number>>>;

/** A refusal as an answer: `{ message, errors? }` with the catalogue's status. */
export function toProblemReply({ kind, message, errors, headers }: Problem, statuses: Statuses = {}): Reply {
  const status = statuses[kind] ?? catalogue[kind];
  return toJsonReply(status, errors && errors.length > 0 ? { message, errors } : { message }, headers);
}

/** An answer that a scenario asks for. */
export function toPlannedReply({ status, headers, body }: PlannedAnswer): Reply {
  const value = body === undefined ? { message: toUsualMessage(status) } : body;
  if (status === 204 || status === 304) return { status, headers, body: undefined };
  return typeof value === 'string'
    ? { status, headers: { 'content-type': 'text/plain', ...headers }, body: value }
    : toJsonReply(status, value, headers);
}

/** The refusal of a request by what is wrong with its shape: all of it, to a bound, and the count of the rest. */
export function toInvalid(violations: readonly Violation[], count: number): Problem {
  const [first] = violations;
  const where = first && first.path !== '' ? `${first.path}: ` : '';
  const rest = count - Math.min(count, mostViolations);
  const more = rest > 0 ? ` (and ${rest.toLocaleString('en')} more)` : '';
  const message =
    count === 1
      ? `${where}${first?.message}`
      : `${count.toLocaleString('en')} mistakes, the first: ${where}${first?.message}${more}`;
  return { kind: 'invalid', message, errors: violations.slice(0, mostViolations) };
}

/** Writes an answer. Nothing else in the project writes to a response. */
export function send(response: ServerResponse, { status, headers, body }: Reply): void {
  if (response.destroyed) return;
  if (body === undefined) {
    response.writeHead(status, headers).end();
    return;
  }
  const bytes = Buffer.byteLength(body);
  response.writeHead(status, { ...headers, 'content-length': bytes }).end(body);
}

/** Answers what is no HTTP request, of which node makes no request object, and ends the connection. */
export function sendUnreadable(socket: Duplex): void {
  if (!socket.writable) return;
  const body = JSON.stringify({ message: 'this is no HTTP request, or its head is too large' });
  const head = [
    'HTTP/1.1 400 Bad Request',
    'content-type: application/json',
    `content-length: ${body.length}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

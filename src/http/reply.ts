/** Answers as values, and the one place that writes them to the wire. */
import type { ServerResponse } from 'node:http';
import { catalogue, mostViolations, type Problem, type ProblemKind, type Violation } from '../base/problem.ts';

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

/**
 * Creates responses as values; `write-response.ts` sends them. Those of the API are as the profile wants: the bodies of
 * errors and results, and the headers of all.
 */
import { STATUS_CODES } from 'node:http';
import { toRetryAfter } from '../lib/clock.ts';
import { framingHeaders } from '../lib/header.ts';
import {
  type Cause,
  catalogue,
  causeOf,
  codeOf,
  maxViolations,
  type Problem,
  type ProblemKind,
  type ShownProblem,
  statusesWithoutBody,
  toDefaultCode,
  toDefaultMessage,
  type Violation,
} from '../lib/problem.ts';
import { fillTemplate, parseTemplate, placeholdersOf, type TemplateValues } from '../lib/template.ts';
import { toTimestamp } from '../lib/time.ts';
import { problemTemplate, problemType } from '../openapi/profile/placeholders.ts';
import { type Profile, toCodeNames } from '../openapi/profile/profile.ts';
import type { Findings } from '../openapi/validate.ts';
import type { OperationId } from '../operations/index.ts';
import type { PlannedResponse } from '../scenarios/effects/effect.ts';
import type { ConnectionFault } from '../scenarios/types.ts';
import { hideKeysOf, redactUrl } from './redact.ts';

/** A response; its body is a text or missing. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** The message and mistakes of an error whose body a profile changed; only the journal shows them. */
  readonly problem?: ShownProblem;
  /** Why the request was rejected, or what a scenario sent in its place; for the journal. */
  readonly cause?: Cause;
  /** The compressed body, sent instead of `body`; the headers name its coding. */
  readonly compressed?: Buffer;
  /** Breaks the connection instead of sending the whole response. */
  readonly fault?: Fault;
  /** Sent instead of `body`: writes data until the server or the client ends the stream. */
  readonly stream?: Stream;
  /** Sent instead of `body`: its pieces, each created after the previous ones were written. */
  readonly pieces?: Iterable<string> | AsyncIterable<Buffer>;
}

export interface Fault {
  readonly kind: ConnectionFault;
  /** Calls `end` when the connection must be closed. Returns a function that unsubscribes. */
  readonly onEnd: (end: () => void) => () => void;
}

/** The output of a stream; ignores writes after the end, or after the client has disconnected. */
export interface StreamSink {
  write(text: string): void;
  end(): void;
}

/** Starts a stream after the head was sent. Call the returned function when it ends or the client disconnects. */
export type Stream = (sink: StreamSink) => () => void;

const json = { 'content-type': 'application/json' } as const;

export function toJsonReply(status: number, value: unknown, headers?: Readonly<Record<string, string>>): Reply {
  return { status, headers: headers ? { ...json, ...headers } : json, body: JSON.stringify(value) };
}

/** Creates a JSON response in pieces; with a single piece, a normal response. */
export function toPiecesReply(status: number, pieces: Iterable<string>): Reply {
  const iterator = pieces[Symbol.iterator]();
  const first = iterator.next();
  const second = iterator.next();
  if (second.done) return { status, headers: json, body: first.value };
  return { status, headers: json, body: undefined, pieces: chain([first.value, second.value], iterator) };
}

function* chain(first: Iterable<string>, rest: Iterator<string>): Generator<string> {
  yield* first;
  for (let next = rest.next(); !next.done; next = rest.next()) yield next.value;
}

/** Statuses of problems that a profile has changed. */
export type Statuses = Readonly<Partial<Record<ProblemKind, number>>>;

/** Creates the control API's response for a problem: `{ message, errors? }` with the catalogue's status. */
export function toControlProblemReply({ kind, message, errors, headers, fields }: Problem): Reply {
  const body = { message, ...fields, ...(errors && errors.length > 0 && { errors }) };
  return toJsonReply(catalogue[kind], body, headers);
}

export function statusOf({ kind }: Pick<Problem, 'kind'>, statuses: Statuses): number {
  return statuses[kind] ?? catalogue[kind];
}

/** Returns the default status of the errors that have a status in the profile; the status itself if it is one of theirs. */
function toStandard(status: number, statuses: Statuses): number {
  const kinds = (Object.keys(catalogue) as ProblemKind[]).filter((kind) => statusOf({ kind }, statuses) === status);
  const defaults = kinds.filter(codeOf).map((kind) => catalogue[kind] as number);
  return defaults.includes(status) ? status : (defaults[0] ?? status);
}

/** Creates the problem of a change that could not be saved; the log has the reason, under the request's id. */
export function toUnsavedProblem(id: string): Problem {
  const message = `the sandbox could not save the changes of this request, and may lose them; search its log for ${id} to find the cause`;
  return { kind: 'internal', message, headers: { 'x-request-id': id } };
}

/** Creates a scenario's response, without its headers. */
function toPlannedReply({ status, body }: PlannedResponse): Reply {
  if (statusesWithoutBody.includes(status)) return { status, headers: {}, body: undefined };
  if (typeof body === 'string') return { status, headers: { 'content-type': 'text/plain' }, body };
  return toJsonReply(status, body === undefined ? { message: toDefaultMessage(status) } : body);
}

/** Returns a scenario's headers with lower-case names, like the server's own, and without framing headers. */
function normalizeHeaders(headers: PlannedResponse['headers']): Readonly<Record<string, string>> {
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(lowerCase.filter(([name]) => !framingHeaders.includes(name)));
}

const seconds = /^\d{1,12}$/;

/**
 * Converts a scenario's `retry-after`, in seconds of the project's clock, to the real time that the client waits. `clockRate`:
 * how many times faster than real time that clock runs, or 0.
 */
function scaleRetryAfter(headers: Reply['headers'], clockRate: number): Reply['headers'] {
  const given = headers['retry-after'] ?? '';
  if (clockRate === 0 || clockRate === 1 || !seconds.test(given)) return headers;
  return { ...headers, 'retry-after': String(toRetryAfter(Number(given) * 1000, clockRate)) };
}

/**
 * Creates the problem of an invalid request; lists its mistakes up to a maximum, and counts the rest. From here on a
 * mistake has its path and message only, so that responses, journal and recordings do not show the schema.
 */
export function toInvalidProblem({
  violations,
  violationCount: count,
  isCutShort,
}: Pick<Findings, 'violations' | 'violationCount' | 'isCutShort'>): Problem {
  const [first] = violations;
  const where = first && first.path !== '' ? `${first.path}: ` : '';
  const show = (total: number): string => `${isCutShort ? 'at least ' : ''}${total.toLocaleString('en')}`;
  const more = count - maxViolations;
  const listed = more > 0 ? `; \`errors\` lists ${maxViolations}, and ${show(more)} more are left out` : '';
  const others = count === 1 ? '' : ` (the first of ${show(count)} mistakes${listed})`;
  const message = `${where}${first?.message}${others}`;
  const errors = violations.slice(0, maxViolations).map(({ path, message: text }) => ({ path, message: text }));
  return { kind: 'invalid', message, errors, cause: first?.cause };
}

/** An error of the API. */
interface ErrorFacts {
  readonly status: number;
  readonly message: string;
  readonly code: string | undefined;
  readonly errors?: readonly Violation[] | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The request of an error, as far as it is known. */
export interface ErrorContext {
  readonly request?: { readonly method: string; readonly url: string };
  readonly id?: string;
  readonly atMs?: number;
  readonly clockRate?: number;
  readonly operationId?: OperationId | undefined;
  readonly project?: { readonly name: string } | undefined;
}

export interface ApiReplies {
  problem(problem: Problem, context?: ErrorContext): Reply;
  /** Creates the response that a scenario sets. Without a body, an error has that of the profile. */
  planned(response: PlannedResponse, context?: ErrorContext): Reply;
  /** Creates the response of an operation. `values` returns those of its template, if it has one. */
  result(operationId: OperationId, status: number, body: unknown, values: ToValues): Reply;
}

/** Returns the values of a template: all, or those of these names. */
type ToValues = (names?: readonly string[]) => TemplateValues;

export function createApiReplies(
  profile: Pick<Profile, 'bodies' | 'responseHeaders' | 'codes'>,
  statuses: Statuses,
  isKey: (text: string) => boolean,
): ApiReplies {
  const { bodies, responseHeaders } = profile;
  const own = normalizeHeaders(responseHeaders);
  const added = Object.keys(own).length > 0 ? own : undefined;
  const fillError = createErrorBody(bodies['error'], isKey);
  const results = new Map(Object.entries(bodies).map(([id, body]) => [id, createResultBody(body)]));

  const codeNames = toCodeNames(profile);

  /** Adds the profile's headers to those of a response; without any, costs nothing. */
  const withOwn = (headers: Readonly<Record<string, string>> | undefined) =>
    added && headers ? { ...added, ...headers } : (headers ?? added);

  function error(facts: ErrorFacts, context: ErrorContext = {}): Reply {
    const { status, message, errors, headers } = facts;
    const code = codeNames.get(String(facts.code)) ?? facts.code;
    if (fillError) {
      const reply = toJsonReply(
        status,
        fillError.toBody({ ...facts, code }, context),
        withOwn(fillError.toHeaders(headers)),
      );
      return { ...reply, problem: errors ? { message, errors } : { message } };
    }
    return toJsonReply(status, { message, code, errors: errors?.length ? errors : undefined }, withOwn(headers));
  }

  return {
    problem: (problem, context) => {
      const { kind, ...facts } = hideKeysOf(problem, isKey);
      const status = statusOf(problem, statuses);
      const reply = error({ ...facts, status, code: codeOf(kind) }, context);
      return { ...reply, cause: causeOf(problem) };
    },
    planned: (response, context) => {
      const { status, body } = response;
      const headers = scaleRetryAfter(normalizeHeaders(response.headers), context?.clockRate ?? 1);
      const standard = toStandard(status, statuses);
      const reply =
        body === undefined && status >= 400
          ? error({ status, message: toDefaultMessage(standard), code: toDefaultCode(standard) }, context)
          : toPlannedReply(response);
      return { ...reply, headers: { ...added, ...reply.headers, ...headers } };
    },
    result: (operationId, status, body, values) => {
      const fill = results.get(operationId);
      if (status === 204) return { status, headers: added ?? {}, body: undefined };
      return toJsonReply(status, fill ? fill(values) : body, added);
    },
  };
}

/** Creates the function that fills the template of an operation's result. */
function createResultBody(body: unknown): (values: ToValues) => unknown {
  const template = parseTemplate(body);
  const names = placeholdersOf(body);
  return (values) => fillTemplate(template, values(names)) ?? null;
}

interface ErrorBody {
  toBody(facts: ErrorFacts, context: ErrorContext): unknown;
  toHeaders(headers: ErrorFacts['headers']): ErrorFacts['headers'];
}

/** Creates the function that fills the template of errors; undefined for the default body. */
function createErrorBody(setting: unknown, isKey: (text: string) => boolean): ErrorBody | undefined {
  if (setting === undefined) return undefined;
  const isProblem = setting === 'problem';
  const body = isProblem ? problemTemplate : setting;
  const template = parseTemplate(body);
  const showsPath = placeholdersOf(body).includes('path');
  return {
    toHeaders: (headers) => (isProblem ? { 'content-type': problemType, ...headers } : headers),
    toBody: ({ status, message, code, errors: all = [] }, { request, id, atMs, operationId, project }) => {
      const errors = all.length > 0 ? all : undefined;
      const values = {
        ...{ status, message, code, errors },
        title: STATUS_CODES[status],
        requestId: id,
        timestamp: atMs === undefined ? undefined : toTimestamp(atMs),
        operation: operationId,
        projectId: project?.name,
        method: request?.method,
        path: showsPath && request ? redactUrl(request.url, isKey, !project).split('?')[0] : undefined,
      };
      return fillTemplate(template, values, { error: errors?.map((one) => ({ ...one })) }) ?? null;
    },
  };
}

/** Creates the API's responses as the profile wants: the bodies of errors and results, and the headers of all. */
import { STATUS_CODES } from 'node:http';
import { causeOf, codeOf, type Problem, toDefaultCode, toDefaultMessage, type Violation } from '../lib/problem.ts';
import { fillTemplate, parseTemplate, placeholdersOf, type Template, type TemplateValues } from '../lib/template.ts';
import { toTimestamp } from '../lib/time.ts';
import { problemTemplate, problemType } from '../openapi/profile/placeholders.ts';
import { type Profile, toCodeNames } from '../openapi/profile/profile.ts';
import type { OperationId } from '../operations/index.ts';
import type { PlannedResponse } from '../scenarios/effects/effect.ts';
import type { ApiRequest, Exchange } from './exchange.ts';
import { redactUrl } from './redact.ts';
import {
  normalizeHeaders,
  type Reply,
  type Statuses,
  statusOf,
  toJsonReply,
  toPlannedHeaders,
  toPlannedReply,
} from './reply.ts';

/** An error of the API. */
export interface ErrorFacts {
  readonly status: number;
  readonly message: string;
  readonly code: string | undefined;
  readonly errors?: readonly Violation[] | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The request of an error, as far as it is known. */
export type ErrorContext = Partial<Pick<Exchange, 'id' | 'atMs' | 'clockRate' | 'operationId'>> & {
  readonly request?: Pick<ApiRequest, 'method' | 'url'>;
  readonly project?: { readonly name: string } | undefined;
};

export interface ApiReplies {
  error(facts: ErrorFacts, context?: ErrorContext): Reply;
  problem(problem: Problem, context?: ErrorContext): Reply;
  /** Creates the response that a scenario sets. Without a body, an error has that of the profile. */
  planned(response: PlannedResponse, context?: ErrorContext): Reply;
  /** Creates the response of an operation. `values` returns those of its template, if it has one. */
  result(operationId: OperationId, status: number, body: unknown, values: () => TemplateValues): Reply;
}

export function createApiReplies(
  profile: Pick<Profile, 'bodies' | 'responseHeaders' | 'codes'>,
  statuses: Statuses,
  isKey: (text: string) => boolean,
): ApiReplies {
  const { bodies, responseHeaders } = profile;
  const own = normalizeHeaders(responseHeaders);
  const added = Object.keys(own).length > 0 ? own : undefined;
  const fillError = createErrorBody(bodies['error'], isKey);
  const templates = new Map<string, Template>(Object.entries(bodies).map(([id, body]) => [id, parseTemplate(body)]));

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
    return toJsonReply(
      status,
      errors && errors.length > 0 ? { message, code, errors } : { message, code },
      withOwn(headers),
    );
  }

  return {
    error,
    problem: (problem, context) => {
      const { kind, ...facts } = problem;
      const reply = error({ ...facts, status: statusOf(problem, statuses), code: codeOf(kind) }, context);
      return { ...reply, cause: causeOf(problem) };
    },
    planned: (response, context) => {
      const { status, body } = response;
      const headers = toPlannedHeaders(response.headers, context?.clockRate ?? 1);
      const reply =
        body === undefined && status >= 400
          ? error({ status, message: toDefaultMessage(status), code: toDefaultCode(status) }, context)
          : toPlannedReply(response, headers);
      return { ...reply, headers: { ...added, ...reply.headers, ...headers } };
    },
    result: (operationId, status, body, values) => {
      const template = templates.get(operationId);
      if (status === 204) return { status, headers: added ?? {}, body: undefined };
      return toJsonReply(status, template ? (fillTemplate(template, values()) ?? null) : body, added);
    },
  };
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

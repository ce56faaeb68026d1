/** Examines a request's body, independent of the state of the project: is it valid, and which command does it give? */
import { isDeeperThan, tooDeep } from '../lib/depth.ts';
import type { Json } from '../lib/json.ts';
import type { Problem } from '../lib/problem.ts';
import { withoutIdentifiers } from '../openapi/identify.ts';
import { type Findings, isClean } from '../openapi/validate.ts';
import { type ParsedCommand, parseCommand } from '../operations/parse-command.ts';
import { refuseForOneProject } from '../scenarios/compile.ts';
import { type Library, toUnknownName } from '../scenarios/library.ts';
import type { Parsed, RawBody } from './body.ts';
import { checkList, checkParams, dropEmpty, dropUnknown, toWarning, toWarnings } from './body-checks.ts';
import type { RequestHandlerDeps } from './handler-deps.ts';
import type { ReceivedRequest } from './read-request.ts';
import { namesSecret, recordLater, recordNow } from './redact.ts';
import { toInvalidProblem } from './reply.ts';
import type { ApiRequest, RequestContext } from './request-context.ts';
import { type FoundMatch, operationOf, type RequestValidation } from './validate-request.ts';

export interface AcceptedRequest {
  readonly parsed: ParsedCommand;
  readonly body: Json;
  readonly text: string;
}

/** Result of examining a request: the accepted request, or the problem that rejects it. */
export interface Examined extends Pick<RequestContext, 'body' | 'bodyProblem' | 'warnings' | 'warningCount'> {
  readonly accepted?: AcceptedRequest;
  readonly rejection?: Problem;
}

type ParsedBody = Exclude<Parsed, { problem: Problem }>;

export interface ExamineDeps extends Pick<RequestHandlerDeps, 'limits' | 'library'>, RequestValidation {}

export function examineRequest(
  { limits, library, validate }: ExamineDeps,
  { headers, url }: ApiRequest,
  match: FoundMatch,
  received: ReceivedRequest,
): Examined {
  const { raw, parsed } = received;
  if ('problem' in raw) return { ...noWarnings(), bodyProblem: raw.problem, rejection: raw.problem };
  const operation = operationOf(match);
  // Users have passwords. In other bodies a password is a mistake, but still a secret.
  const mayHoldSecret = () => operation.collection === 'users' || namesSecret(raw.text, !('problem' in parsed));
  if ('problem' in parsed) return rejectUnreadable(raw, mayHoldSecret(), parsed.problem);
  const body = parsed.value as Json;
  const { tooMany, findings } = validate(match, body);
  if (findings?.tooDeep ?? isDeeperThan(body, limits.depth)) {
    const tooDeepProblem: Problem = { kind: 'invalid', message: tooDeep(limits.depth) };
    return rejectUnreadable(raw, mayHoldSecret(), tooMany ?? tooDeepProblem);
  }
  const canRecordLater = findings !== undefined && isClean(findings) && operation.collection !== 'users';
  const recorded = canRecordLater ? recordLater(raw) : recordNow(raw, mayHoldSecret(), body);
  if (!findings) return { ...noWarnings(), body: recorded, rejection: tooMany as Problem };
  const others = [...checkParams(url, match.params), ...checkList(operation, body), ...(parsed.warnings ?? [])];
  const warnings = [...others.map(toWarning), ...toWarnings(findings)];
  const warningCount = findings.warningCount + others.length;
  const rejection = rejectByFindings(findings) ?? rejectByScenario(headers, received, library);
  if (rejection) return { body: recorded, warnings, warningCount, rejection };
  return { body: recorded, warnings, warningCount, accepted: accept(match, raw.text, parsed, findings) };
}

function accept(match: FoundMatch, text: string, { value }: ParsedBody, findings: Findings): AcceptedRequest {
  const operation = operationOf(match);
  const body = value as Json;
  dropUnknown(body, findings.unknown);
  const record = operation.list === undefined ? withoutIdentifiers(match.operation.identifiers, body) : body;
  const parsed = parseCommand(operation, match.params, record, findings.refused);
  if (findings.warningCount > 0) dropEmpty(parsed.command.entries);
  return { parsed, body, text };
}

function noWarnings(): Pick<Examined, 'warnings' | 'warningCount'> {
  return { warnings: [], warningCount: 0 };
}

/** Rejects a body that could not be parsed. Does not record it if it may contain a secret, which cannot be found. */
function rejectUnreadable(raw: Extract<RawBody, { text: string }>, mayHoldSecret: boolean, problem: Problem): Examined {
  const body = recordNow(raw, mayHoldSecret, undefined);
  return { ...noWarnings(), body, rejection: problem, ...(mayHoldSecret && { bodyProblem: problem }) };
}

function rejectByFindings(findings: Findings): Problem | undefined {
  return findings.violationCount > 0 ? toInvalidProblem(findings) : undefined;
}

function rejectByScenario(
  headers: ApiRequest['headers'],
  { scenario }: ReceivedRequest,
  library: Library,
): Problem | undefined {
  const name = headers['x-sandbox-scenario'];
  if (name === undefined) return undefined;
  const message = scenario ? refuseForOneProject(scenario) : toUnknownName(String(name), library.list());
  if (message === undefined) return undefined;
  return { kind: 'invalid', message, errors: [{ path: 'header:x-sandbox-scenario', message }] };
}

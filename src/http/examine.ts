/** Examines a request's body, independent of the state of the project: is it valid, and which command does it give? */
import { isDeeperThan, tooDeep } from '../lib/depth.ts';
import type { Json } from '../lib/json.ts';
import { type Cause, type Problem, withCause } from '../lib/problem.ts';
import { withoutIdentifiers } from '../openapi/identify.ts';
import { type Findings, isClean } from '../openapi/validate.ts';
import { parseCommand } from '../operations/parse-command.ts';
import { refuseForOneProject } from '../scenarios/compile.ts';
import { type Library, toUnknownName } from '../scenarios/library.ts';
import type { RawBody } from './body.ts';
import { checkList, checkParams, dropEmpty, dropUnknown, toWarnings } from './body-checks.ts';
import type { Accepted, Exchange, ReadExchange } from './exchange.ts';
import type { RequestHandlerDeps } from './handler-deps.ts';
import { namesSecret, recordLater, recordNow } from './redact.ts';
import { toInvalidProblem } from './reply.ts';
import { operationOf, type RequestValidation } from './validate-request.ts';

export interface ExamineDeps extends Pick<RequestHandlerDeps, 'limits' | 'library'>, RequestValidation {}

/** Adds to a request that was read: its body as the journal shows it, its warnings, and its command or its problem. */
export function examine({ limits, library, validate }: ExamineDeps, exchange: ReadExchange): void {
  const { raw, parsed, match } = exchange;
  if ('problem' in raw) {
    exchange.bodyProblem = raw.problem;
    exchange.rejection = raw.problem;
    return;
  }
  const operation = operationOf(match);
  // Users have passwords. In other bodies a password is a mistake, but still a secret.
  const mayHoldSecret = () => operation.collection === 'users' || namesSecret(raw.text, !('problem' in parsed));
  if ('problem' in parsed) {
    rejectUnreadable(exchange, raw, mayHoldSecret(), parsed.problem);
    if (parsed.problem.kind === 'invalid') exchange.rejection = { ...parsed.problem, cause: notJson };
    return;
  }
  const body = parsed.value as Json;
  const { tooMany, findings } = validate(match, body);
  if (findings?.tooDeep ?? isDeeperThan(body, limits.depth)) {
    const tooDeepProblem: Problem = { kind: 'invalid', message: tooDeep(limits.depth) };
    rejectUnreadable(exchange, raw, mayHoldSecret(), tooMany ?? tooDeepProblem);
    return;
  }
  const canRecordLater = findings !== undefined && isClean(findings) && operation.collection !== 'users';
  exchange.body = canRecordLater ? recordLater(raw) : recordNow(raw, mayHoldSecret(), body);
  exchange.rejection = tooMany;
  if (!findings) return;
  const others = [
    ...checkParams(exchange.request.url, match.params),
    ...checkList(operation, body),
    ...(parsed.warnings ?? []),
  ];
  exchange.warnings = [...others, ...toWarnings(findings)];
  exchange.warningCount = findings.warningCount + others.length;
  exchange.rejection = rejectByFindings(findings) ?? rejectByScenario(exchange, library);
  if (!exchange.rejection) exchange.accepted = accept(exchange, raw.text, body, findings);
}

const notJson: Cause = { kind: 'notJson', place: '', text: 'the body is not JSON' };

function accept({ match }: ReadExchange, text: string, body: Json, findings: Findings): Accepted {
  const operation = operationOf(match);
  dropUnknown(body, findings.unknown);
  const record = operation.list === undefined ? withoutIdentifiers(match.operation.identifiers, body) : body;
  const { command, refused } = parseCommand(operation, match.params, record, findings.refused);
  if (findings.warningCount > 0) dropEmpty(command.entries);
  return { command, refused, body, text };
}

/** Rejects a body that could not be parsed. Does not record it if it may contain a secret, which cannot be found. */
function rejectUnreadable(
  exchange: Exchange,
  raw: Extract<RawBody, { text: string }>,
  mayHoldSecret: boolean,
  problem: Problem,
): void {
  exchange.body = recordNow(raw, mayHoldSecret, undefined);
  exchange.rejection = problem;
  if (mayHoldSecret) exchange.bodyProblem = problem;
}

function rejectByFindings(findings: Findings): Problem | undefined {
  return findings.violationCount > 0 ? toInvalidProblem(findings) : undefined;
}

function rejectByScenario({ request, scenario }: Exchange, library: Library): Problem | undefined {
  const name = request.headers['x-sandbox-scenario'];
  if (name === undefined) return undefined;
  const message = scenario ? refuseForOneProject(scenario) : toUnknownName(String(name), library.list());
  if (message === undefined) return undefined;
  const { path, cause } = withCause(
    'unknownScenario',
    'header:x-sandbox-scenario',
    'expected a scenario of the library',
  );
  return { kind: 'invalid', message, errors: [{ path, message }], cause };
}

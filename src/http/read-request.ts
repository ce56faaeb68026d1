/** Reads a request within the limits of the server, and examines it: is it valid, and which command does it give? */
import type { IncomingMessage } from 'node:http';
import type { ApiKey } from '../keys/api-key.ts';
import { isDeeperThan, tooDeep } from '../lib/depth.ts';
import type { Json } from '../lib/json.ts';
import { type Cause, type Problem, withCause } from '../lib/problem.ts';
import { addFromBody, withoutIdentifiers } from '../openapi/identify.ts';
import type { FoundMatch } from '../openapi/router.ts';
import { type Findings, isClean } from '../openapi/validate.ts';
import { type Operation, type OperationId, operations } from '../operations/index.ts';
import { parseCommand } from '../operations/parse-command.ts';
import { refuseForOneProject } from '../scenarios/compile.ts';
import { type Library, toUnknownName } from '../scenarios/library.ts';
import { isHeavy } from '../usage/shares.ts';
import { type BodyReader, createBodyReader, parseJson, type RawBody } from './body.ts';
import {
  addShapeHint,
  checkAgreement,
  checkList,
  checkParams,
  countEntries,
  dropEmpty,
  dropUnknown,
  removeNulls,
  toWarnings,
} from './body-checks.ts';
import { checkShape } from './body-shape.ts';
import type { Accepted, Exchange, MatchedExchange, ReadExchange } from './exchange.ts';
import type { RequestHandlerDeps } from './handler-deps.ts';
import { namesSecret, recordLater, recordNow } from './redact.ts';
import { toInvalidProblem } from './reply.ts';

const mediaTypes = ['application/json'];

export class RequestReader {
  readonly #deps: RequestHandlerDeps;
  readonly #readBody: BodyReader;

  constructor(deps: RequestHandlerDeps) {
    this.#deps = deps;
    this.#readBody = createBodyReader(deps.limits.bytes, deps.admission.bodies);
  }

  /** Reads the text of a body with this key. It waits for the client, so other requests run meanwhile. */
  readText(incoming: IncomingMessage, key: ApiKey | undefined): Promise<RawBody> {
    return this.#readBody(incoming, mediaTypes, key?.id);
  }

  /** Adds the text and the value of its body, and its scenario. A long body waits for its turn. */
  async parse(exchange: MatchedExchange, reading: RawBody | Promise<RawBody>, project: string): Promise<void> {
    const { admission, library } = this.#deps;
    // Each await takes time, also of the smallest request, so there is one only where there is something to wait for.
    const text = await reading;
    if ('text' in text && isHeavy(text.text)) await admission.turns.next(exchange.key?.id ?? '', project);
    const raw = this.#check(text);
    const parsing = 'problem' in raw ? raw : parseJson(raw.text);
    const parsed = parsing instanceof Promise ? await parsing : parsing;
    const name = exchange.request.headers['x-sandbox-scenario'];
    exchange.scenario = name === undefined ? undefined : await library.compiled(String(name));
    if ('value' in parsed) addFromBody(exchange.match, parsed.value);
    exchange.raw = raw;
    exchange.parsed = parsed;
  }

  #check(body: RawBody): RawBody {
    if ('problem' in body) return body;
    const problem = checkShape(body.text, this.#deps.limits) ?? this.#deps.admission.admitParsing(body.text);
    return problem ? { problem } : body;
  }

  /**
   * Adds to a request that was read, independent of the state of its project: its body as the journal shows it, its
   * warnings, and its command or its problem.
   */
  examine(exchange: ReadExchange): void {
    const { limits, library } = this.#deps;
    const { raw, parsed, match } = exchange;
    if ('problem' in raw) {
      exchange.bodyProblem = raw.problem;
      exchange.rejection = raw.problem;
      return;
    }
    const operation = operationOf(match);
    if ('problem' in parsed) {
      rejectUnreadable(exchange, raw, mayHoldSecret(operation, raw.text, false), parsed.problem);
      if (parsed.problem.kind === 'invalid') exchange.rejection = { ...parsed.problem, cause: notJson };
      return;
    }
    const body = parsed.value as Json;
    const tooMany = countEntries(operation, body, limits.entries);
    const findings = tooMany ? undefined : this.#validate(match, operation, body);
    if (findings?.tooDeep ?? isDeeperThan(body, limits.depth)) {
      const tooDeepProblem: Problem = { kind: 'invalid', message: tooDeep(limits.depth) };
      rejectUnreadable(exchange, raw, mayHoldSecret(operation, raw.text, true), tooMany ?? tooDeepProblem);
      return;
    }
    const canRecordLater = findings !== undefined && isClean(findings) && operation.collection !== 'users';
    exchange.body = canRecordLater ? recordLater(raw) : recordNow(raw, mayHoldSecret(operation, raw.text, true), body);
    exchange.rejection = tooMany;
    if (!findings) return;
    const others = [
      ...checkParams(exchange.request.url, match.params),
      ...checkList(operation, body),
      ...(parsed.warnings ?? []),
    ];
    exchange.warnings = [...others, ...toWarnings(findings)];
    exchange.warningCount = findings.warningCount + others.length;
    exchange.rejection = findings.violationCount > 0 ? toInvalidProblem(findings) : rejectByScenario(exchange, library);
    if (!exchange.rejection) exchange.accepted = accept(exchange, raw.text, body, findings);
  }

  /** Validates a request by the API document, and its body by the parameters of its URL. */
  #validate(match: FoundMatch, operation: Operation, received: Json): Findings {
    const { contract, limits, strict, bodyRules } = this.#deps;
    if (bodyRules.nulls === 'ignore') removeNulls(received, operation, limits.depth);
    const body = this.#withUserType(operation, received);
    const { params, query, headers } = match;
    // The response to a batch of locations lists no failures: one mistake rejects it all.
    const list = operation.listsFailures ? operation.list : undefined;
    const options = { list, strict, depth: limits.depth };
    const findings = contract.validate(match.operation, { params, query, headers, body }, options);
    const hinted = addShapeHint(findings, match.operation.id, operation, body, contract.operations);
    const mismatches = checkAgreement(match, body);
    if (mismatches.length === 0) return hinted;
    const violations = [...hinted.violations, ...mismatches];
    return { ...hinted, violations, violationCount: hinted.violationCount + mismatches.length };
  }

  /** Adds the type that the profile gives to users without one; the body stays as it was sent. */
  #withUserType(operation: Operation, body: Json): Json {
    const { withoutType } = this.#deps.bodyRules.users;
    if (withoutType === 'reject' || operation !== operations.registerUser) return body;
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
    return { type: withoutType, ...body };
  }
}

export function operationOf({ operation: { id } }: FoundMatch): Operation {
  return operations[id as OperationId];
}

/** Users have passwords. In other bodies a password is a mistake, but still a secret. */
function mayHoldSecret({ collection }: Operation, text: string, isJson: boolean): boolean {
  return collection === 'users' || namesSecret(text, isJson);
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

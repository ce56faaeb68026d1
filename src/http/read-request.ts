/** Reads a request within the limits of the server, and examines it: is it valid, and which command does it give? */
import type { IncomingMessage } from 'node:http';
import type { ApiKey } from '../keys/api-key.ts';
import { isDeeperThan, tooDeep } from '../lib/depth.ts';
import { isObject, type Json } from '../lib/json.ts';
import { type Cause, type Problem, type Violation, type Warning, withCause } from '../lib/problem.ts';
import { quote } from '../openapi/explain.ts';
import { addFromBody, describePlace, withoutIdentifiers } from '../openapi/identify.ts';
import type { FoundMatch } from '../openapi/router.ts';
import { type Findings, isClean } from '../openapi/validate.ts';
import type { Entry } from '../operations/command.ts';
import { type Operation, type OperationId, operations } from '../operations/index.ts';
import { parseCommand } from '../operations/parse-command.ts';
import { refuseForOneProject } from '../scenarios/compile.ts';
import { type Library, toUnknownName } from '../scenarios/library.ts';
import { type BodyReader, checkShape, createBodyReader, parseJson, type RawBody } from './body.ts';
import type { Accepted, Exchange, MatchedExchange, ReadExchange } from './exchange.ts';
import type { RequestHandlerDeps } from './handler-deps.ts';
import { toShapeHint } from './not-found.ts';
import { hideKeysOf, hideNames, namesSecret, recordLater, recordNow } from './redact.ts';
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
    const key = exchange.key?.id ?? '';
    if ('text' in text && admission.turns.isDue(key, text.text)) await admission.turns.next(key, project);
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
    const { keys, limits, library } = this.#deps;
    const { raw, parsed, match } = exchange;
    if ('problem' in raw) {
      exchange.bodyProblem = hideKeysOf(raw.problem, keys.isKey);
      exchange.rejection = raw.problem;
      return;
    }
    const operation = operationOf(match);
    if ('problem' in parsed) {
      rejectUnreadable(exchange, raw.text, mayHoldSecret(operation, raw.text, false), parsed.problem);
      if (parsed.problem.kind === 'invalid') exchange.rejection = { ...parsed.problem, cause: notJson };
      return;
    }
    const body = parsed.value as Json;
    const tooMany = countEntries(operation, body, limits.entries);
    const findings = tooMany ? undefined : this.#validate(match, operation, body);
    const holdsSecret = (): boolean => mayHoldSecret(operation, raw.text, true);
    const unreadable = findUnreadable(body, findings, limits.depth, holdsSecret);
    if (unreadable) {
      rejectUnreadable(exchange, raw.text, holdsSecret(), tooMany ?? unreadable);
      return;
    }
    const canRecordLater = findings !== undefined && isClean(findings) && operation.collection !== 'users';
    exchange.body = canRecordLater ? recordLater(raw.text) : recordNow(raw.text, holdsSecret(), body);
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
    const { contract, keys, limits, strict, bodyRules } = this.#deps;
    if (bodyRules.nulls === 'ignore') removeNulls(received, { max: limits.depth, kept: levelOfJobs(operation) });
    const body = this.#withUserType(operation, received);
    const { params, headers } = match;
    const query = hideNames(match.query, keys.isKey);
    // The response to a batch of locations lists no failures: one mistake rejects it all.
    const list = operation.listsFailures ? operation.list : undefined;
    const options = { list, strict };
    const findings = contract.validate(match.operation, { params, query, headers, body }, options);
    const toHint = () => toShapeHint(match.operation.id, operation.list, body, contract.operations);
    const hinted = addShapeHint(findings, toHint);
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

/** Removes the unknown fields of a request: rules test them, but the API does not store them. */
export function withoutUnknown(exchange: ReadExchange, accepted: Accepted): Accepted {
  const { text, body, findings } = accepted;
  if (findings.unknown.length === 0) return accepted;
  dropUnknown(body, findings.unknown);
  return accept(exchange, text, body, findings);
}

function accept({ match }: ReadExchange, text: string, body: Json, findings: Findings): Accepted {
  const operation = operationOf(match);
  const record = operation.list === undefined ? withoutIdentifiers(match.operation.identifiers, body) : body;
  const { command, refused } = parseCommand(operation, match.params, record, findings.refused);
  if (findings.warningCount > 0) dropEmpty(command.entries);
  return { command, refused, body, text, findings };
}

/** No schema of the API has as many levels of its own. */
const schemaDepth = 20;

/** Returns the problem of a body in which secrets cannot be found: it is nested too deep, or no object. */
function findUnreadable(
  body: unknown,
  findings: Findings | undefined,
  depth: number,
  holdsSecret: () => boolean,
): Problem | undefined {
  // A schema also checks the depth of free-form values: only a value with mistakes is visited again.
  const isChecked = depth >= schemaDepth && findings !== undefined && isClean(findings);
  if (!isChecked && isDeeperThan(body, depth)) return { kind: 'invalid', message: tooDeep(depth) };
  if (!findings || findings.violationCount === 0 || isObject(body) || !holdsSecret()) return undefined;
  return toInvalidProblem(findings);
}

/**
 * Rejects a body that could not be parsed, or is no object. Does not record it if it may contain a secret, which cannot be
 * found.
 */
function rejectUnreadable(exchange: Exchange, text: string, mayHoldSecret: boolean, problem: Problem): void {
  exchange.body = recordNow(text, mayHoldSecret, undefined);
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

/** Checks the number of entries in the body's list; for routes, also the total number of their jobs. */
function countEntries({ list }: Operation, body: Json, max: number): Problem | undefined {
  if (list === undefined || typeof body !== 'object' || body === null) return undefined;
  const entries = body[list];
  if (!Array.isArray(entries)) return undefined;
  if (entries.length > max) return tooMany(`/${list}`, entries.length, max);
  if (list !== 'routes') return undefined;
  const jobs = (entries as readonly Json[]).reduce((sum, route) => {
    const list = route?.['jobs'];
    return sum + (Array.isArray(list) ? list.length : 0);
  }, 0);
  return jobs > max ? tooMany('/routes', jobs, max, 'jobs in all routes') : undefined;
}

/** Warns of an empty list, which is valid and changes nothing, and of the first route without jobs. */
function checkList({ list }: Operation, body: Json): readonly Violation[] {
  const entries = list === undefined ? undefined : (body as Json | null)?.[list];
  if (!Array.isArray(entries)) return noViolations;
  if (entries.length === 0) return [withCause('emptyList', `/${list}`, 'the list is empty, so nothing changes')];
  if (list !== 'routes') return noViolations;
  const first = entries.findIndex((route: Json | null) => Array.isArray(route?.['jobs']) && route['jobs'].length === 0);
  const message = 'the list is empty, so the route is stored without jobs';
  return first < 0 ? noViolations : [withCause('emptyList', `/routes/${first}/jobs`, message)];
}

function tooMany(path: string, count: number, max: number, noun = 'entries'): Problem {
  const message = `expected at most ${max.toLocaleString('en')} ${noun}, got ${count.toLocaleString('en')}`;
  return { kind: 'tooLarge', message: `${path}: ${message}`, errors: [{ path, message }] };
}

/** Body fields and the identifiers that they must equal. */
const sharedNames = [
  ['projectId', 'projectId'],
  ['username', 'username'],
  ['id', 'jobId'],
  ['id', 'orderId'],
] as const;

/** Checks that ids in the body equal the request's identifiers. */
function checkAgreement(
  { params, operation }: Pick<FoundMatch, 'params' | 'operation'>,
  body: unknown,
): readonly Violation[] {
  if (typeof body !== 'object' || body === null) return [];
  const found: Violation[] = [];
  for (const [field, param] of sharedNames) {
    const expected = params[param];
    if (expected === undefined) continue;
    const inBody = (body as Json)[field];
    if (typeof inBody !== 'string' || inBody === expected) continue;
    const place = describePlace(operation.identifiers, param);
    const message = `expected ${quote(expected)} as in ${place}, got ${quote(inBody)}`;
    found.push({ ...withCause('disagreement', `/${field}`, `expected the same as in ${place}`), message });
  }
  return found;
}

function dropUnknown(body: Json, unknown: Findings['unknown']): void {
  for (const { object, fields } of unknown) {
    const at = findObject(body, object);
    for (const field of fields) delete at[field];
  }
}

function findObject(body: Json, pointer: string): Json {
  const keys = pointer.split('/').slice(1);
  return keys.reduce((at, key) => at[key.replace(/~1/g, '/').replace(/~0/g, '~')] as Json, body);
}

/** Removes the fields of entries that count as absent if they are empty. */
function dropEmpty(entries: readonly Entry[]): void {
  for (const { value } of entries) if (value['subProjectId'] === '') delete value['subProjectId'];
}

/** Checks that a request names its project exactly once. Only fails if a profile moved the project out of the path. */
export function checkProject({ params, operation }: FoundMatch): Problem | undefined {
  if (params['projectId']) return undefined;
  const path = operation.identifiers?.places['projectId'] ?? 'path:projectId';
  const message = path.startsWith('header:') ? 'required, but missing' : 'expected exactly one project id';
  return { kind: 'invalid', message: `${path}: ${message}`, errors: [{ path, message }] };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: finds control characters
const controlCharacter = /[\u0000-\u001f\u007f]/;

/** Warns of ids with control characters. They are only possible in a URL with escapes. */
function checkParams(url: string, params: Readonly<Record<string, string>>): readonly Violation[] {
  if (!url.includes('%')) return noViolations;
  return Object.entries(params)
    .filter(([, value]) => controlCharacter.test(value))
    .map(([name]) =>
      withCause('ambiguous', `path:${name}`, 'the id contains a control character, which no real id has'),
    );
}

const noViolations: readonly Violation[] = [];

/** Returns what the journal keeps of warnings: the first ones, then the number of the rest. */
function toWarnings({ warnings, warningCount }: Pick<Findings, 'warnings' | 'warningCount'>): Warning[] {
  const kept = warnings.map(({ path, message, cause }): Warning => ({ path, message, ...(cause && { cause }) }));
  const rest = warningCount - warnings.length;
  return rest > 0 ? [...kept, { path: '', message: `and ${rest.toLocaleString('en')} more` }] : kept;
}

/** Adds a hint to the first mistake if a body has the shape of another operation. */
function addShapeHint(findings: Findings, toHint: () => string): Findings {
  const [first, ...others] = findings.violations;
  const hint = first && toHint();
  if (!hint) return findings;
  return { ...findings, violations: [{ ...first, message: first.message + hint }, ...others] };
}

/**
 * Removes nulls from a body, as if their fields were absent, at any depth up to the maximum, but not from lists. Keeps `driver: null` of a job, which
 * unassigns the driver.
 */
function removeNulls(value: unknown, levels: { readonly max: number; readonly kept: number }, level = 0): void {
  if (typeof value !== 'object' || value === null || level >= levels.max) return;
  if (Array.isArray(value)) {
    for (const item of value) removeNulls(item, levels, level + 1);
    return;
  }
  const object = value as Json;
  for (const key of Object.keys(object)) {
    if (object[key] !== null) removeNulls(object[key], levels, level + 1);
    else if (key !== 'driver' || level !== levels.kept) delete object[key];
  }
}

/** Returns the level of objects whose `driver` may be null: the jobs of an operation about jobs. */
function levelOfJobs({ collection, list }: Operation): number {
  if (collection !== 'jobs') return -1;
  return list === undefined ? 0 : 2;
}

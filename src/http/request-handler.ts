/**
 * Handles API requests: routing, API key, body, validation, scenario rules, effect, response, journal. Every step
 * returns a value; nothing here writes to a response.
 */
import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Keys } from '../config/keys.ts';
import type { Journal } from '../journal/journal.ts';
import { isDeeperThan, tooDeep } from '../lib/depth.ts';
import type { Json } from '../lib/json.ts';
import type { PiecedJson } from '../lib/json-reader.ts';
import type { Problem } from '../lib/problem.ts';
import { createSlices } from '../lib/slices.ts';
import type { WallClock } from '../lib/time.ts';
import type { Contract } from '../openapi/contract.ts';
import type { Match, Params } from '../openapi/router.ts';
import { type Findings, isClean, type ValidateOptions } from '../openapi/validate.ts';
import { type Operation, type OperationId, operations } from '../operations/index.ts';
import { type ParsedCommand, parseCommand } from '../operations/parse-command.ts';
import type { EntrySource } from '../project/commands/lazy-writes.ts';
import type { Project } from '../project/project.ts';
import type { ProjectRegistry } from '../project/registry.ts';
import type { CompiledScenario } from '../scenarios/compile.ts';
import { decide } from '../scenarios/decide.ts';
import { countFiringsBefore, countRequest } from '../scenarios/expect.ts';
import { type Library, toUnknownName } from '../scenarios/library.ts';
import { createMatching, type Matches, type Matching, maxMatchedEntries, maxTests } from '../scenarios/matching.ts';
import type { SecretTests } from '../scenarios/secret-tests.ts';
import type { Admission, Growth } from '../usage/admission.ts';
import { applyPlan } from './apply-plan.ts';
import { createBodyReader, type Parsed, parseJson, type RawBody } from './body.ts';
import { checkAgreement, checkProject, countEntries, dropUnknown, toWarnings } from './body-checks.ts';
import { checkShape, type ShapeLimits } from './body-shape.ts';
import { createNotFound } from './not-found.ts';
import { namesSecret, recordLater, recordNow } from './redact.ts';
import { type Reply, type Statuses, toInvalidProblem, toProblemReply, toUnsavedReply } from './reply.ts';
import {
  type ApiRequest,
  type RequestContext,
  recordUnreadable,
  toEntry,
  withStandardHeaders,
} from './request-context.ts';

/** Dependencies of the request handler. */
export interface RequestHandlerDeps {
  readonly contract: Contract;
  readonly keys: Keys;
  readonly projects: ProjectRegistry;
  readonly journal: Journal;
  readonly library: Library;
  readonly wall: WallClock;
  /** Maximum size of a body in bytes, levels of nested objects and lists, and entries of its list. */
  readonly limits: ShapeLimits & { readonly bytes: number; readonly depth: number; readonly entries: number };
  readonly strict: boolean;
  readonly statuses: Statuses;
  readonly processingMs: number;
  /** Creates an id for a request without a project. */
  strayId(): string;
  /** Logs why a request got status 500: its changes could not be saved. */
  noteUnsaved(requestId: string, error: unknown): void;
  /** Returns the mode and success status of an operation, with the profile applied. */
  modeOf(operationId: OperationId): { readonly mode: 'sync' | 'async'; readonly status: number | undefined };
  readonly seed: string;
  readonly admission: Admission;
  /** Initial clock of a project. */
  readonly defaultClock: { readonly mode: 'real' | 'frozen'; readonly nowMs?: number };
}

const mediaTypes = ['application/json'];

/** Longer bodies are parsed, validated and applied in separate turns of the event loop, in characters. */
const maxAtOnce = 500_000;

type Found = Extract<Match, { found: true }>;

/**
 * The response of a request and its delay. `expectedEntries` is empty if it was rejected before any rule was checked.
 */
interface Outcome {
  readonly reply: Reply;
  readonly latencyMs: number;
  readonly expectedEntries: ReadonlySet<string>;
  /** Releases the slot of a delayed request; call it after the response. */
  readonly release?: (() => void) | undefined;
}

/** Validation result of a body; without findings if it has too many entries. */
interface Validated {
  readonly tooMany: Problem | undefined;
  readonly findings: Findings | undefined;
}

/** A request's data before it is applied. */
export interface ReceivedRequest {
  readonly raw: RawBody;
  readonly parsed: Parsed;
  /** The scenario named in its header, or undefined if the header is missing or the name is unknown. */
  readonly scenario: CompiledScenario | undefined;
  /** The validation result, if the body was already validated. */
  readonly validated?: Validated;
  /** In a replay: the recorded results of conditions on secrets. */
  readonly secretTests?: SecretTests;
  /** In a replay: the recorded rejection by a limit. */
  readonly full?: Problem | undefined;
}

/** A request's data and the examination of its body, before it is applied. */
interface PreparedRequest {
  readonly request: ApiRequest;
  readonly startedMs: number;
  readonly match: Found;
  readonly received: ReceivedRequest;
  readonly examined: Examined;
}

/** Result of examining a body, independent of the project. */
interface Examined extends Pick<RequestContext, 'body' | 'unread' | 'warnings' | 'warningCount'> {
  /** The parsed command of a valid request; otherwise `rejection` is set. */
  accepted?: {
    readonly parsed: ParsedCommand;
    readonly body: Json;
    readonly text: string;
    /** The text, if it has no unknown fields, which would have to be dropped. */
    readonly source: EntrySource | undefined;
  };
  rejection?: Problem;
}

/** Approximate number of rule tests that run synchronously, in a few milliseconds; more run in slices. */
const testsAtOnce = 20_000;
/** Number of rule tests to run before the clock is read. */
const testsInARow = 2000;

export interface RequestHandler {
  /** Handles an API request and returns the response. */
  answer(request: IncomingMessage): Promise<Reply>;
  /** Applies a request that was already read. It must be an API request for a project, with a valid key. */
  enter(request: ApiRequest, received: ReceivedRequest): Reply | Promise<Reply>;
}

export function createRequestHandler(parts: RequestHandlerDeps): RequestHandler {
  const { contract, keys, projects, journal, wall } = parts;
  const toNotFound = createNotFound(contract.operations.values(), 'api');
  const readBody = createBodyReader(parts.limits.bytes, parts.admission.bodies);

  async function answer(incoming: IncomingMessage): Promise<Reply> {
    const startedMs = wall.elapsed();
    const { url = '/', method = 'GET', headers } = incoming;
    const request = { url, method, headers };
    const match = contract.match(method, url);
    const problem = match.found
      ? (keys.check(headers, headers.host ?? '', match.params['projectId'] ?? '') ??
        checkProject(match) ??
        projects.refuse(match.params['projectId'] ?? ''))
      : toNotFound(match, method, url);
    if (match.found && !problem) {
      const overRate = parts.admission.rate.refuse(match.params['projectId'] ?? '', startedMs);
      if (overRate?.isFirst) return rejectWithoutProject(request, match, startedMs, overRate.problem);
      // The journal records one of these per second; the others must be as cheap as possible.
      if (overRate) return toProblemReply(overRate.problem, parts.statuses);
    }
    if (!match.found || problem) return rejectWithoutProject(request, match, startedMs, problem as Problem);
    const reading = projects.readAhead(match.params['projectId'] ?? '');
    if (reading) await reading;
    // Opened before the body is read: if the project is reset meanwhile, this request belongs to the old project.
    const project = projects.open(match.params['projectId'] ?? '');
    const received = await readBody(incoming, mediaTypes);
    const checking = checkShape(received, parts.limits, wall);
    const body = checking ? await checking : received;
    const isLarge = 'text' in body && body.text.length > maxAtOnce;
    if (isLarge) await nextTurn();
    const notAdmitted = 'problem' in body ? undefined : parts.admission.admitParsing(body.text);
    const raw = notAdmitted ? { problem: notAdmitted } : body;
    const parsing = 'problem' in raw ? raw : parseJson(raw.text, wall);
    const parsed = parsing instanceof Promise ? await parsing : parsing;
    const scenarioName = headers['x-sandbox-scenario'];
    const scenario = scenarioName === undefined ? undefined : await parts.library.compiled(String(scenarioName));
    const validated = isLarge && 'value' in parsed ? await validateInSlices(match, parsed.value as Json) : undefined;
    const runningDue = projects.current(project).runDueAhead();
    if (runningDue) await runningDue;
    // The project may have been evicted to its file meanwhile.
    const current = projects.current(project);
    return handle(request, startedMs, current, match, { raw, parsed, scenario, ...(validated && { validated }) });
  }

  function rejectWithoutProject(request: ApiRequest, match: Match, startedMs: number, problem: Problem): Reply {
    const operationId = match.found ? (match.operation.id as OperationId) : undefined;
    const atMs = parts.defaultClock.nowMs ?? wall.now();
    const base = { request, id: parts.strayId(), atMs, project: undefined, change: 0, startedMs, operationId };
    const context = { ...base, warnings: [], warningCount: 0, refused: 0 };
    const reply = withStandardHeaders(context, toProblemReply(problem, parts.statuses));
    const entry = toEntry(context, reply, keys.isKey);
    entry.durationMs = wall.elapsed() - startedMs;
    journal.add(entry);
    return reply;
  }

  /** Examines the body and matches the rules, then applies the request. Returns a promise only if this takes long. */
  function handle(request: ApiRequest, startedMs: number, project: Project, match: Found, received: ReceivedRequest) {
    const prepared = { request, startedMs, match, received, examined: examine(request, match, received) };
    const matching = beginMatching(prepared, project);
    if (!matching || matching.run(testsAtOnce)) return apply(prepared, project, matching?.end());
    return matchInSlices(prepared, project, matching);
  }

  function beginMatching(
    { request, match, received, examined: { accepted } }: PreparedRequest,
    project: Project,
  ): Matching | undefined {
    if (!accepted) return undefined;
    const { headers } = request;
    const { scenario, secretTests } = received;
    return createMatching(projects.rulesOf(project, scenario), {
      operation: match.operation.id,
      project: project.id,
      subproject: match.params['subProjectId'],
      headers,
      body: accepted.body,
      entries: accepted.parsed.command.entries,
      refused: accepted.parsed.refused,
      isSecret: keys.isKey,
      ...(secretTests && { secretTests }),
    });
  }

  /** Matches the rules in slices; starts again if the active scenarios change meanwhile. */
  async function matchInSlices(prepared: PreparedRequest, project: Project, started: Matching): Promise<Reply> {
    const slices = createSlices(wall);
    let matching = started;
    for (;;) {
      while (!matching.run(testsInARow)) if (slices.isOver()) await slices.next();
      await projects.current(project).runDueAhead();
      const current = projects.current(project);
      const matches = matching.end();
      if (matches.set === projects.rulesOf(current, prepared.received.scenario))
        return apply(prepared, current, matches);
      matching = beginMatching(prepared, current) as Matching;
    }
  }

  /**
   * Applies a request. Synchronous from its number to its effect, so that numbers and counts follow the order of
   * effects.
   */
  function apply(prepared: PreparedRequest, project: Project, matches: Matches | undefined): Reply | Promise<Reply> {
    const { request, startedMs, match, received, examined } = prepared;
    const operationId = match.operation.id as OperationId;
    const atMs = project.runDue();
    const id = project.nextRequestId();
    const change = project.nextChangeNumber();
    const context: RequestContext = {
      request,
      id,
      atMs,
      project,
      change,
      startedMs,
      operationId,
      warnings: examined.warnings,
      warningCount: examined.warningCount,
      refused: 0,
      body: examined.body,
      unread: examined.unread,
    };
    const { reply, latencyMs, expectedEntries, release } = decideAndApply(context, prepared, project, matches);
    // Expectations also count rejected requests.
    const fact = { operation: operationId, status: reply.status, expectedEntries, change };
    const { expectations } = projects.rulesOf(project, received.scenario);
    countRequest(expectations, fact, project.state);
    countFiringsBefore(expectations, change, project.state);
    const response = withStandardHeaders(context, reply);
    const entry = toEntry(context, response, keys.isKey);
    const finish = (): Reply => {
      release?.();
      return addToJournal(project, entry, response, startedMs);
    };
    const saving = project.persisted();
    if (latencyMs === 0 && !saving) return finish();
    return project.delayAnswer(latencyMs, entry, saving).then(finish, (error: unknown) => {
      release?.();
      parts.noteUnsaved(id, error);
      const unsaved = withStandardHeaders(context, toUnsavedReply(id));
      return addToJournal(project, toEntry(context, unsaved, keys.isKey), unsaved, startedMs);
    });
  }

  function addToJournal(
    project: Project,
    entry: ReturnType<typeof toEntry>,
    response: Reply,
    startedMs: number,
  ): Reply {
    entry.durationMs = wall.elapsed() - startedMs;
    // The journal has no place for requests of a project that was reset or closed meanwhile.
    if (!project.isDisposed()) journal.add(entry);
    return response;
  }

  /** Parses and validates a body, independent of the project. */
  function examine({ headers }: ApiRequest, match: Found, received: ReceivedRequest): Examined {
    const operation: Operation = operations[match.operation.id as OperationId];
    const { raw, parsed } = received;
    const examined: Examined = { warnings: [], warningCount: 0 };
    const reject = (rejection: Problem): Examined => ({ ...examined, rejection });
    if ('problem' in raw) return { ...reject(raw.problem), unread: raw.problem };
    // Users have passwords. In other bodies a password is a mistake, but still a secret.
    const mayHoldSecret = () => operation.collection === 'users' || namesSecret(raw.text, !('problem' in parsed));
    if ('problem' in parsed) {
      recordUnreadable(examined, raw, mayHoldSecret(), parsed.problem);
      return reject(parsed.problem);
    }
    const body = parsed.value as Json;

    const { tooMany, findings } = received.validated ?? validate(operation, match, body);
    if (findings?.tooDeep ?? isDeeperThan(body, parts.limits.depth)) {
      const problem = tooMany ?? { kind: 'invalid', message: tooDeep(parts.limits.depth) };
      recordUnreadable(examined, raw, mayHoldSecret(), problem);
      return reject(problem);
    }
    const canRecordLater = findings && isClean(findings) && operation.collection !== 'users';
    examined.body = canRecordLater ? recordLater(raw) : recordNow(raw, mayHoldSecret(), body);
    if (!findings) return reject(tooMany as Problem);
    examined.warnings.push(...toWarnings(findings));
    examined.warningCount = findings.warningCount;
    if (findings.violationCount > 0) return reject(toInvalidProblem(findings));
    dropUnknown(body, findings.unknown);
    const command = parseCommand(operation, match.params, body, findings.refused);

    const scenarioName = headers['x-sandbox-scenario'];
    if (scenarioName !== undefined && !received.scenario) {
      return reject(toUnknownScenario(String(scenarioName), parts.library));
    }
    const source = findings.unknown.length === 0 ? toSource(raw.text, operation, parsed.lists) : undefined;
    examined.accepted = { parsed: command, body, text: raw.text, source };
    return examined;
  }

  /** Decides which rules fire, applies the request accordingly, and returns the outcome. */
  function decideAndApply(
    context: RequestContext,
    prepared: PreparedRequest,
    project: Project,
    matches: Matches | undefined,
  ): Outcome {
    const { scenario, full } = prepared.received;
    const { accepted, rejection } = prepared.examined;
    const reject = (problem: Problem): Outcome => ({
      reply: toProblemReply(problem, parts.statuses),
      latencyMs: 0,
      expectedEntries: noKeys,
    });
    const problem = rejection ?? (matches?.isTooMuch ? tooManyTests : undefined);
    const { atMs: now, change, operationId } = context;
    if (problem || !accepted || !matches || !operationId) return reject(problem as Problem);
    if (scenario) context.scenario = scenario.source;
    const { parsed, text } = accepted;
    const { entries } = parsed.command;
    const { ruleCounts: counts, activations } = project.state;
    const decision = decide(matches, entries.length, { counts, activations, now, change, seed: parts.seed });
    context.rules = { set: matches.set, decision };
    const { plan } = decision;
    const { latencyMs = 0 } = plan;
    const busy = latencyMs > 0 ? (full ?? parts.admission.waiting.refuse(project.id)) : undefined;
    if (busy?.kind === 'limited') {
      context.full = busy;
      return reject(busy);
    }
    const release = latencyMs > 0 ? parts.admission.waiting.take(project.id) : undefined;
    const source = project.isStored ? undefined : accepted.source;
    const operation: Operation = operations[operationId];
    const admit = (growth: Growth) => full ?? parts.admission.admit(project, growth);
    const reply = applyPlan(parts, { context, project, operationId, operation, parsed, plan, source, text, admit });
    return { reply, latencyMs, expectedEntries: matches.expectedEntries, release };
  }

  function validate(operation: Operation, match: Found, body: Json): Validated {
    const tooMany = countEntries(operation, body, parts.limits.entries);
    if (tooMany) return { tooMany, findings: undefined };
    const { params, query } = match;
    const findings = contract.validate(match.operation, { params, query, body }, toValidateOptions(operation));
    return { tooMany, findings: withAgreement(findings, params, body) };
  }

  /**
   * Validates a large body in slices. Must run before the request gets its number, because other requests run
   * meanwhile.
   */
  async function validateInSlices(match: Found, body: Json): Promise<Validated> {
    await nextTurn();
    const operation: Operation = operations[match.operation.id as OperationId];
    const tooMany = countEntries(operation, body, parts.limits.entries);
    if (tooMany) return { tooMany, findings: undefined };
    const { params, query } = match;
    const options = { ...toValidateOptions(operation), slicedBy: operation.list, slices: createSlices(wall) };
    const findings = await contract.validateInSlices(match.operation, { params, query, body }, options);
    await nextTurn();
    return { tooMany, findings: withAgreement(findings, params, body) };
  }

  /**
   * Returns the validation options. The response to a batch of locations lists no failures: one mistake rejects it all.
   */
  function toValidateOptions({ listsFailures, list }: Operation): ValidateOptions {
    return { list: listsFailures ? list : undefined, strict: parts.strict, depth: parts.limits.depth };
  }

  function withAgreement(findings: Findings, params: Params, body: Json): Findings {
    const mismatches = checkAgreement(params, body);
    if (mismatches.length === 0) return findings;
    const violations = [...findings.violations, ...mismatches];
    return { ...findings, violations, violationCount: findings.violationCount + mismatches.length };
  }

  return {
    answer,
    enter: (request, received) => {
      const match = contract.match(request.method, request.url) as Found;
      return handle(request, wall.elapsed(), projects.open(match.params['projectId'] ?? ''), match, received);
    },
  };
}

const noKeys: ReadonlySet<string> = new Set();

const tooManyTests: Problem = {
  kind: 'tooLarge',
  message: `the active scenarios would take more than ${maxTests.toLocaleString('en')} tests of this request's entries, or act on more than ${maxMatchedEntries.toLocaleString('en')} of them: send fewer entries in one request, or switch on fewer rules and expectations about entries`,
};

function toUnknownScenario(name: string, library: Library): Problem {
  const message = toUnknownName(name, library.list());
  return { kind: 'invalid', message, errors: [{ path: 'header:x-sandbox-scenario', message }] };
}

function toSource(text: string, { list }: Operation, lists: PiecedJson['lists'] | undefined): EntrySource {
  return { text, pieces: list && lists?.get(list) };
}

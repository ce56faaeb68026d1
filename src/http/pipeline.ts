/**
 * A request's way through the API, on one screen: route, key, body, shape, scenarios, effect, answer, journal.
 * Every step gives a value back; nothing here writes to a response.
 */
import type { IncomingMessage } from 'node:http';
import { isDeeperThan, tooDeep } from '../base/depth.ts';
import type { Json } from '../base/json.ts';
import type { Problem } from '../base/problem.ts';
import type { WallClock } from '../base/time.ts';
import type { Contract } from '../contract/contract.ts';
import type { Keys } from '../contract/keys.ts';
import type { Match } from '../contract/router.ts';
import { type Findings, isClean } from '../contract/validate.ts';
import type { Journal } from '../journal/journal.ts';
import { type Operation, type OperationId, operations } from '../operations/index.ts';
import { type ReadTask, toTask } from '../operations/to-task.ts';
import type { CompiledScenario } from '../scenarios/compile.ts';
import { type Decision, decide, type SecretTests } from '../scenarios/decide.ts';
import { countRequest } from '../scenarios/expect.ts';
import { type Library, toUnknownName } from '../scenarios/library.ts';
import type { World } from '../world.ts';
import type { Worlds } from '../worlds.ts';
import { createBodyReader, type Parsed, parseJson, type RawBody } from './body.ts';
import { checkAgreement, checkProject, countEntries, dropUnknown, toWarnings } from './entries.ts';
import { type ApiRequest, noteUnreadable, type Passage, toAnswer, toEntry } from './passage.ts';
import { carryOutPlan } from './plan.ts';
import { namesSecret, recordLater, recordNow } from './redact.ts';
import { type Reply, type Statuses, toInvalid, toProblemReply, toUnkeptReply } from './reply.ts';
import { createSignpost } from './signpost.ts';

/** All that the pipeline needs. */
export interface PipelineParts {
  readonly contract: Contract;
  readonly keys: Keys;
  readonly worlds: Worlds;
  readonly journal: Journal;
  readonly library: Library;
  readonly wall: WallClock;
  /** Bytes of a body, its levels of objects and lists in each other, entries of its list. */
  readonly limits: { readonly bytes: number; readonly depth: number; readonly entries: number };
  readonly strict: boolean;
  readonly statuses: Statuses;
  readonly processingMs: number;
  /** The id of the next request that no project has. */
  strayId(): string;
  /** Notes why a request was answered 500: what it has changed can't be kept. */
  noteUnkept(requestId: string, error: unknown): void;
  /** How an operation is carried out and answered, profile applied. */
  modeOf(operationId: OperationId): { readonly mode: 'sync' | 'async'; readonly status: number | undefined };
  readonly seed: string;
  /** The clock that a project begins with. */
  readonly defaultClock: { readonly mode: 'real' | 'frozen'; readonly nowMs?: number };
}

const mediaTypes = ['application/json'];

type Found = Extract<Match, { found: true }>;

/** How a request is answered, and when; `entries` are none where it was refused before any rule saw it. */
interface Taken {
  readonly reply: Reply;
  readonly latencyMs: number;
  readonly entries: ReadTask['task']['entries'];
}

/** All that was read of a request before it takes effect. */
export interface Given {
  readonly raw: RawBody;
  readonly parsed: Parsed;
  /** The scenario that its header names, where there is such a one. */
  readonly scenario: CompiledScenario | undefined;
  /** What conditions on secrets came to, where a request is made again without them. */
  readonly secretTests?: SecretTests;
}

export interface Pipeline {
  /** Takes a request of the API and gives an answer. */
  answer(request: IncomingMessage): Promise<Reply>;
  /** Lets a request that was read already take effect. It must be one of the API, for a project, and its key be right. */
  enter(request: ApiRequest, given: Given): Reply | Promise<Reply>;
}

export function createPipeline(parts: PipelineParts): Pipeline {
  const { contract, keys, worlds, journal, wall } = parts;
  const signpost = createSignpost(contract.operations.values(), 'api');
  const readBody = createBodyReader(parts.limits.bytes);

  async function answer(incoming: IncomingMessage): Promise<Reply> {
    const startedMs = wall.elapsed();
    const { url = '/', method = 'GET', headers } = incoming;
    const request = { url, method, headers };
    const match = contract.match(method, url);
    const problem = match.found
      ? (keys.check(headers, headers.host ?? '', match.params['projectId'] ?? '') ?? checkProject(match))
      : signpost(match, method, url);
    if (!match.found || problem) return refuseAstray(request, match, startedMs, problem as Problem);
    // Opened before the body is read: where the project is reset meanwhile, this request is of the old world.
    const world = worlds.open(match.params['projectId'] ?? '');
    const raw = await readBody(incoming, mediaTypes);
    const read = 'problem' in raw ? raw : parseJson(raw.text);
    const parsed = read instanceof Promise ? await read : read;
    const named = headers['x-sandbox-scenario'];
    const scenario = named === undefined ? undefined : await parts.library.compiled(String(named));
    return pass(request, startedMs, worlds.current(world), match, { raw, parsed, scenario });
  }

  function refuseAstray(request: ApiRequest, match: Match, startedMs: number, problem: Problem): Reply {
    const operationId = match.found ? (match.operation.id as OperationId) : undefined;
    const atMs = parts.defaultClock.nowMs ?? wall.now();
    const stray = { request, id: parts.strayId(), atMs, world: undefined, change: 0, startedMs, operationId };
    const passage = { ...stray, warnings: [], warningCount: 0, refused: 0 };
    const reply = toAnswer(passage, toProblemReply(problem, parts.statuses));
    const entry = toEntry(passage, reply, keys.isKey);
    entry.durationMs = wall.elapsed() - startedMs;
    journal.add(entry);
    return reply;
  }

  /** Nothing waits from the request's number to its effect, so that numbers and counts are in the order of effects. */
  function pass(request: ApiRequest, startedMs: number, world: World, match: Found, given: Given) {
    const operationId = match.operation.id as OperationId;
    const atMs = world.moment();
    const id = world.nextRequestId();
    const change = world.nextChange();
    const passage: Passage = {
      request,
      id,
      atMs,
      world,
      change,
      startedMs,
      operationId,
      warnings: [],
      warningCount: 0,
      refused: 0,
    };
    const { reply, latencyMs, entries } = take(passage, world, match, given);
    // What was refused is no rule's concern, but it came.
    const fact = { operation: operationId, status: reply.status, entries, change };
    countRequest(worlds.rulesOf(world, given.scenario).expectations, fact, world.data);
    const answered = toAnswer(passage, reply);
    const entry = toEntry(passage, answered, keys.isKey);
    const finish = (): Reply => end(world, entry, answered, startedMs);
    const kept = world.kept();
    if (latencyMs === 0 && !kept) return finish();
    return world.delay(latencyMs, entry, kept).then(finish, (error: unknown) => {
      parts.noteUnkept(id, error);
      const unkept = toAnswer(passage, toUnkeptReply(id));
      return end(world, toEntry(passage, unkept, keys.isKey), unkept, startedMs);
    });
  }

  function end(world: World, entry: ReturnType<typeof toEntry>, answered: Reply, startedMs: number): Reply {
    // A request that outlived its world belongs to no journal.
    entry.durationMs = wall.elapsed() - startedMs;
    if (!world.isDisposed()) journal.add(entry);
    return answered;
  }

  function take(passage: Passage, world: World, match: Found, given: Given): Taken {
    const refuse = (problem: Problem) => ({
      reply: toProblemReply(problem, parts.statuses),
      latencyMs: 0,
      entries: [],
    });
    const operationId = match.operation.id as OperationId;
    const operation: Operation = operations[operationId];
    const { raw, parsed } = given;
    if ('problem' in raw) {
      passage.unread = raw.problem;
      return refuse(raw.problem);
    }
    // Users have passwords; elsewhere one is a mistake, and no less a secret.
    const mayHoldSecret = () => operation.collection === 'users' || namesSecret(raw.text, !('problem' in parsed));
    if ('problem' in parsed) {
      noteUnreadable(passage, raw, mayHoldSecret(), parsed.problem);
      return refuse(parsed.problem);
    }
    const body = parsed.value as Json;

    const tooMany = countEntries(operation, body, parts.limits.entries);
    const findings = tooMany ? undefined : judge(operation, match, body);
    if (findings?.tooDeep ?? isDeeperThan(body, parts.limits.depth)) {
      const problem = tooMany ?? { kind: 'invalid', message: tooDeep(parts.limits.depth) };
      noteUnreadable(passage, raw, mayHoldSecret(), problem);
      return refuse(problem);
    }
    const isKnown = findings && isClean(findings) && operation.collection !== 'users';
    passage.body = isKnown ? recordLater(raw) : recordNow(raw, mayHoldSecret(), body);
    if (!findings) return refuse(tooMany as Problem);
    passage.warnings.push(...toWarnings(findings));
    passage.warningCount = findings.warningCount;
    if (findings.violationCount > 0) return refuse(toInvalid(findings));
    dropUnknown(body, findings.unknown);
    const read = toTask(operation, match.params, body, findings.refused);

    const named = passage.request.headers['x-sandbox-scenario'];
    if (named !== undefined && !given.scenario) return refuse(toUnknownScenario(String(named), parts.library));
    const decision = decideFor(passage, world, match, read, body, given);
    const { plan } = decision;
    const source = findings.unknown.length === 0 ? raw.text : undefined;
    const reply = carryOutPlan(parts, { passage, world, operationId, operation, read, plan, source });
    return { reply, latencyMs: plan.latencyMs ?? 0, entries: read.task.entries };
  }

  function judge(operation: Operation, { operation: routed, params, query }: Found, body: Json): Findings {
    // A batch of locations has no list of failures: one mistake refuses all of it.
    const findings = contract.judge(
      routed,
      { params, query, body },
      { list: operation.listsFailures ? operation.list : undefined, strict: parts.strict, depth: parts.limits.depth },
    );
    const disagreeing = checkAgreement(params, body);
    if (disagreeing.length === 0) return findings;
    const violations = [...findings.violations, ...disagreeing];
    return { ...findings, violations, violationCount: findings.violationCount + disagreeing.length };
  }

  function decideFor(passage: Passage, world: World, match: Found, read: ReadTask, body: Json, given: Given): Decision {
    const { scenario, secretTests } = given;
    if (scenario) passage.scenario = scenario.source;
    const set = worlds.rulesOf(world, scenario);
    const subject = {
      operation: match.operation.id,
      project: world.id,
      subproject: match.params['subProjectId'],
      headers: passage.request.headers,
      body,
      entries: read.task.entries,
      refused: read.refused,
      isSecret: keys.isKey,
      ...(secretTests && { secretTests }),
    };
    const { ruleCounts: counts, activations } = world.data;
    const { atMs: now, change } = passage;
    const decision = decide(set, subject, { counts, activations, now, change, seed: parts.seed });
    passage.rules = { set, decision };
    return decision;
  }

  return {
    answer,
    enter: (request, given) => {
      const match = contract.match(request.method, request.url) as Found;
      return pass(request, wall.elapsed(), worlds.open(match.params['projectId'] ?? ''), match, given);
    },
  };
}

function toUnknownScenario(name: string, library: Library): Problem {
  const message = toUnknownName(name, library.list());
  return { kind: 'invalid', message, errors: [{ path: 'header:x-sandbox-scenario', message }] };
}

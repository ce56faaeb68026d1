/**
 * A request's way through the API, on one screen: route, key, body, shape, scenarios, effect, answer, journal.
 * Every step gives a value back; nothing here writes to a response.
 */
import type { IncomingMessage } from 'node:http';
import { tooDeep } from '../base/depth.ts';
import type { Json } from '../base/json.ts';
import type { Problem } from '../base/problem.ts';
import { toTimestamp, type WallClock } from '../base/time.ts';
import type { Contract } from '../contract/contract.ts';
import type { Keys } from '../contract/keys.ts';
import type { Match } from '../contract/router.ts';
import type { Findings } from '../contract/validate.ts';
import { execute } from '../downstream/execute.ts';
import type { Journal } from '../journal/journal.ts';
import { type Operation, type OperationId, operations } from '../operations/index.ts';
import { type ReadTask, toTask } from '../operations/to-task.ts';
import type { RuleSet } from '../scenarios/compile.ts';
import { type Decision, decide } from '../scenarios/decide.ts';
import type { Library } from '../scenarios/library.ts';
import { explainNotes } from '../scenarios/trace.ts';
import type { World } from '../world.ts';
import type { Worlds } from '../worlds.ts';
import { createBodyReader, parseJson } from './body.ts';
import { checkAgreement, checkProject, countEntries, dropUnknown, toWarnings } from './entries.ts';
import { recordBody, redactHeaders, redactUrl } from './redact.ts';
import { type Reply, type Statuses, toInvalid, toJsonReply, toPlannedReply, toProblemReply } from './reply.ts';
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
  /** How an operation is carried out and answered, profile applied. */
  modeOf(operationId: OperationId): { readonly mode: 'sync' | 'async'; readonly status: number | undefined };
  readonly seed: string;
  /** The clock that a project begins with. */
  readonly defaultClock: { readonly mode: 'real' | 'frozen'; readonly nowMs?: number };
}

const mediaTypes = ['application/json'];

type Found = Extract<Match, { found: true }>;

/** What is known of a request while it goes its way; the journal is written from it. */
interface Passage {
  readonly request: IncomingMessage;
  readonly id: string;
  readonly world: World | undefined;
  readonly startedMs: number;
  readonly operationId: OperationId | undefined;
  body?: string;
  warnings: readonly string[];
  /** How many there are in all; `warnings` tells of the first hundred. */
  warningCount: number;
  rules?: { readonly set: RuleSet; readonly decision: Decision };
}

/** Takes requests of the API and gives answers. */
export function createPipeline(parts: PipelineParts): (request: IncomingMessage) => Promise<Reply> {
  const { contract, keys, worlds, journal, wall } = parts;
  const signpost = createSignpost(contract.operations.values(), 'api');
  const readBody = createBodyReader(parts.limits.bytes);

  return async (request) => {
    const startedMs = wall.elapsed();
    const url = request.url ?? '/';
    const method = request.method ?? 'GET';
    const match = contract.match(method, url);
    const astray = match.found
      ? (keys.check(request.headers, request.headers.host ?? '', match.params['projectId'] ?? '') ??
        checkProject(match))
      : signpost(match, method, url);
    const operationId = match.found ? (match.operation.id as OperationId) : undefined;
    const begin = (id: string, world: World | undefined): Passage => {
      return { request, id, world, startedMs, operationId, warnings: [], warningCount: 0 };
    };
    if (!match.found || astray) {
      return finish(begin(parts.strayId(), undefined), toProblemReply(astray as Problem, parts.statuses));
    }
    const world = worlds.open(match.params['projectId'] ?? '');
    const passage = begin(world.nextRequestId(), world);
    const reply = await answer(passage, world, match);
    return finish(passage, reply);
  };

  async function answer(passage: Passage, world: World, match: Found): Promise<Reply> {
    const refuse = (problem: Problem): Reply => toProblemReply(problem, parts.statuses);
    const operationId = match.operation.id as OperationId;
    const operation: Operation = operations[operationId];
    const raw = await readBody(passage.request, mediaTypes);
    if ('problem' in raw) return refuse(raw.problem);
    passage.body = recordBody(operation.collection === 'users', raw.text, undefined);
    const parsed = await parseJson(raw.text);
    if ('problem' in parsed) return refuse(parsed.problem);
    const body = parsed.value as Json;

    const tooMany = countEntries(operation, body, parts.limits.entries);
    if (tooMany) return refuse(tooMany);
    const findings = judge(operation, match, body);
    if (findings.tooDeep) return refuse({ kind: 'invalid', message: tooDeep(parts.limits.depth) });
    passage.body = recordBody(operation.collection === 'users', raw.text, body);
    const source = findings.unknown.length === 0 ? raw.text : undefined;
    passage.warnings = toWarnings(findings);
    passage.warningCount = findings.warningCount;
    if (findings.violationCount > 0) return refuse(toInvalid(findings.violations, findings.violationCount));
    dropUnknown(body, findings.unknown);
    const read = toTask(operation, match.params, body, findings.refused);

    const named = await headerRules(world, passage.request);
    if ('problem' in named) return refuse(named.problem);
    const decision = decideFor(passage, world, match, read, body, named.set);
    passage.rules = { set: named.set, decision };
    const { respond, latencyMs } = decision.plan;
    const reply =
      respond && !respond.processed
        ? toPlannedReply(respond)
        : takeEffect(passage, world, operationId, operation, read, decision, refuse, source);
    if (latencyMs !== undefined && latencyMs > 0) await new Promise<void>((go) => wall.after(latencyMs, go));
    return respond?.processed ? toPlannedReply(respond) : reply;
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

  async function headerRules(world: World, request: IncomingMessage): Promise<{ set: RuleSet } | { problem: Problem }> {
    const name = request.headers['x-sandbox-scenario'];
    if (name === undefined) return { set: worlds.rulesOf(world) };
    const scenario = await parts.library.compiled(String(name));
    if (scenario) return { set: worlds.rulesOf(world, scenario) };
    const message = `there is no scenario ${JSON.stringify(String(name).slice(0, 64))}; GET /_sandbox/scenarios lists them`;
    return { problem: { kind: 'invalid', message, errors: [{ path: 'header:x-sandbox-scenario', message }] } };
  }

  function decideFor(passage: Passage, world: World, match: Found, read: ReadTask, body: Json, set: RuleSet): Decision {
    const subject = {
      operation: match.operation.id,
      project: world.id,
      subproject: match.params['subProjectId'],
      headers: passage.request.headers,
      body,
      entries: read.task.entries,
    };
    return decide(set, subject, world.data.ruleCounts, parts.seed);
  }

  function takeEffect(
    passage: Passage,
    world: World,
    operationId: OperationId,
    operation: Operation,
    { task, refused }: ReadTask,
    { plan }: Decision,
    refuse: (problem: Problem) => Reply,
    source: string | undefined,
  ): Reply {
    const { mode, status } = parts.modeOf(operationId);
    const { processingMs } = parts;
    const done = execute(world, {
      operationId,
      operation,
      mode,
      requestId: passage.id,
      task,
      refused,
      plan,
      processingMs,
      source,
    });
    if ('problem' in done) return refuse(done.problem);
    if (done.warnings.length > 0) passage.warnings = [...passage.warnings, ...done.warnings];
    passage.warningCount += done.warnings.length;
    const reply = operation.reply(done.outcome);
    return toJsonReply(status ?? reply.status, reply.body);
  }

  function finish(passage: Passage, reply: Reply): Reply {
    const { request, id, world, warnings, operationId, rules } = passage;
    const headers: Record<string, string> = { ...reply.headers, 'x-request-id': id };
    if (passage.warningCount > 0) headers['x-sandbox-warnings'] = String(passage.warningCount);
    const answered = { ...reply, headers };
    // A request that outlived its world belongs to no journal.
    if (world?.isDisposed()) return answered;
    journal.add({
      id,
      at: toTimestamp(world ? world.now() : (parts.defaultClock.nowMs ?? wall.now())),
      project: world?.id,
      operation: operationId,
      method: request.method ?? '',
      url: redactUrl(request.url ?? ''),
      requestHeaders: redactHeaders(request.headers, keys.isKey),
      requestBody: passage.body,
      status: reply.status,
      durationMs: wall.elapsed() - passage.startedMs,
      warnings: [...warnings],
      responseHeaders: headers,
      responseBody: reply.body,
      explain: () => (rules && operationId ? explainNotes(rules.set, operationId, rules.decision.notes) : []),
    });
    return answered;
  }
}

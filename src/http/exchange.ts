/** One request of the API, from its head to its journal entry: each step of the pipeline adds what it finds. */
import type { IncomingMessage } from 'node:http';
import type { NewEntry, RecordedBody, ReplayInfo } from '../journal/entry.ts';
import type { ApiKey } from '../keys/api-key.ts';
import type { Json } from '../lib/json.ts';
import type { Problem, Warning } from '../lib/problem.ts';
import { toTimestamp } from '../lib/time.ts';
import type { FoundMatch } from '../openapi/router.ts';
import type { Findings } from '../openapi/validate.ts';
import { type OperationId, operations } from '../operations/index.ts';
import { nameEntries, type ParsedCommand } from '../operations/parse-command.ts';
import type { Project } from '../project/project.ts';
import type { Applied, NamedIds } from '../records/records.ts';
import type { CompiledScenario } from '../scenarios/compile.ts';
import { noNotes, type RuleNotes } from '../scenarios/explain.ts';
import type { ObservedFailure } from '../scenarios/failure-kinds.ts';
import type { SecretTests } from '../scenarios/secret-tests.ts';
import type { Parsed, RawBody } from './body.ts';
import { redactHeaders, redactUrl } from './redact.ts';
import type { Reply } from './reply.ts';

/** Parts of a request, without its body. */
export interface ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: NodeJS.Dict<string | string[]>;
  /** Whether the client used https. A replay does not know. */
  readonly isSecure?: boolean;
}

/** Whether the client uses https, to the sandbox itself or to a proxy in front of it, which names the scheme. */
export function isOverTls({ socket, headers }: IncomingMessage): boolean {
  const forwarded = headers['x-forwarded-proto'];
  const scheme = forwarded === undefined ? '' : String(forwarded).split(',', 1)[0]?.trim().toLowerCase();
  if (scheme === 'http' || scheme === 'https') return scheme === 'https';
  return 'encrypted' in socket && socket.encrypted === true;
}

/** What a recording has of a request that a replay can't find out again. */
export interface RecordedFacts {
  /** Results of conditions on secrets. */
  readonly secretTests: SecretTests;
  /** The rejection by a limit. */
  readonly rejection: Problem | undefined;
  /** The rate of the clock, which is frozen in a replay. */
  readonly rate: number;
}

/** A valid request. Its command has the values of the body, not copies. */
export interface Accepted extends ParsedCommand {
  readonly body: Json;
  readonly text: string;
  readonly findings: Findings;
}

export class Exchange {
  readonly request: ApiRequest;
  readonly startedMs: number;
  /** Its operation and parameters; undefined if no operation has its path and method. */
  match: FoundMatch | undefined;
  /** Its API key; undefined in a replay, or if it has none that is valid. */
  key: ApiKey | undefined;
  project: Project | undefined;
  recorded: RecordedFacts | undefined;

  /** The text of its body, and the value in it, once they were read. */
  raw: RawBody | undefined;
  parsed: Parsed | undefined;
  /** The scenario named in its header; undefined if the header is missing or the name is unknown. */
  scenario: CompiledScenario | undefined;

  /** The body as the journal shows it. */
  body: RecordedBody | undefined;
  /** Why a replay can't send the body: it could not be read, or may contain a password that can't be found. */
  bodyProblem: Problem | undefined;
  warnings: Warning[] = [];
  /** Total number of warnings; `warnings` lists the first hundred. */
  warningCount = 0;
  /** The command, or why there is none. */
  accepted: Accepted | undefined;
  rejection: Problem | undefined;

  id = '';
  /** Time of the project's clock when the request was applied, in milliseconds since 1970. */
  atMs = 0;
  /** How many times faster than real time the project's clock ran then; 0 if it was frozen. */
  clockRate = 1;
  /** Number of this change among all changes of its project. */
  change = 0;
  /** The ids that it names. */
  named: NamedIds | undefined;
  /** What the rules did; undefined if none saw the request. */
  rules: ({ readonly notes: RuleNotes } & Pick<ReplayInfo, 'secretTests' | 'serverCounts'>) | undefined;
  /** What it did to the records at once; undefined if it was not processed. */
  applied: Applied | undefined;
  /** The problem, if the request would have exceeded a limit of its project. */
  limitProblem: Problem | undefined;
  /** Delay of the response, and how to give back its slot; call that after the response. */
  latencyMs = 0;
  release: (() => void) | undefined;
  /** The expectations that match it; undefined if it was rejected before its plan was applied. */
  matchedExpectations: ReadonlySet<string> | undefined;
  /** Number of entries that the response lists as failed. */
  rejectedCount = 0;
  /** The failure that the client observes in the response to a valid request. */
  observedFailure: ObservedFailure | undefined;

  constructor(request: ApiRequest, startedMs: number, match?: FoundMatch) {
    this.request = request;
    this.startedMs = startedMs;
    this.match = match;
  }

  get operationId(): OperationId | undefined {
    return this.match?.operation.id as OperationId | undefined;
  }

  warn(warnings: readonly Warning[]): void {
    for (const one of warnings) this.warnings.push(one);
    this.warningCount += warnings.length;
  }

  /** Notes the ids in its path, and those in its body if the journal shows it. */
  nameRecords(): void {
    if (!this.match || !this.operationId) return;
    const body = this.body && this.parsed && 'value' in this.parsed ? this.parsed.value : undefined;
    this.named = nameEntries(operations[this.operationId], this.match.params, body);
  }

  /** Lets go of the body: a response may wait for an hour. */
  releaseBody(): void {
    this.raw = undefined;
    this.parsed = undefined;
    this.accepted = undefined;
  }
}

/** An exchange whose operation was found. */
export interface MatchedExchange extends Exchange {
  match: FoundMatch;
  readonly operationId: OperationId;
}

/** An exchange whose body was read, as far as that is possible. */
export interface ReadExchange extends MatchedExchange {
  raw: RawBody;
  parsed: Parsed;
}

/** An exchange of a project that was opened for it. */
export interface EnteredExchange extends MatchedExchange {
  project: Project;
}

/** Every 401 names a way to authenticate (RFC 9110, 15.5.2). No registered scheme describes a key in its own header. */
const challenge = 'ApiKey realm="field-sandbox", header="apikey"';

/** Adds the headers of every response. Does not replace a challenge set by a scenario. */
export function withStandardHeaders({ id, warningCount }: Exchange, reply: Reply): Reply {
  // V8 copies objects of many shapes this way several times as fast as by spreading them.
  const headers: Record<string, string> = Object.assign({}, reply.headers, { 'x-request-id': id });
  if (reply.status === 401) headers['www-authenticate'] ??= challenge;
  if (warningCount > 0) headers['x-sandbox-warnings'] = String(warningCount);
  return Object.assign({}, reply, { headers });
}

/** Creates the journal entry of a request; the caller sets its duration after the response. */
export function toEntry(
  exchange: Exchange,
  reply: Reply,
  isKey: (text: string) => boolean,
): NewEntry & { durationMs: number } {
  const { request, id, project, operationId, rules, bodyProblem, scenario, limitProblem } = exchange;
  const { ruleCount, notesSize, fired, explain } = rules?.notes ?? noNotes;
  return {
    id,
    at: toTimestamp(exchange.atMs),
    project: project?.id,
    operation: operationId,
    method: request.method,
    url: redactUrl(request.url, isKey, project === undefined),
    ...(request.isSecure && { isSecure: true }),
    requestHeaders: redactHeaders(request.headers, isKey),
    requestBody: exchange.body,
    status: reply.status,
    fault: reply.fault?.kind,
    durationMs: 0,
    rejectedCount: exchange.rejectedCount,
    warnings: [...exchange.warnings],
    named: exchange.named,
    applied: exchange.applied ? [exchange.applied] : [],
    responseHeaders: reply.headers,
    responseBody: reply.body,
    ...(reply.problem && { problem: reply.problem }),
    ...(reply.cause && { cause: reply.cause }),
    evidence: {
      change: exchange.change,
      atMs: exchange.atMs,
      bodyProblem,
      limitProblem,
      clockRate: exchange.clockRate,
      scenario: project && scenario?.source,
      secretTests: orUndefinedIfEmpty(rules?.secretTests),
      serverCounts: orUndefinedIfEmpty(rules?.serverCounts),
    },
    observedFailure: exchange.observedFailure,
    ruleCount,
    notesSize,
    fired,
    explain,
  };
}

function orUndefinedIfEmpty<Named extends object>(named: Named | undefined): Named | undefined {
  for (const _name in named) return named;
  return undefined;
}

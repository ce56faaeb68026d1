/** Defines the request context, which collects the data of one request, and converts it to a journal entry. */
import type { NewEntry, RecordedBody } from '../journal/entry.ts';
import type { NamedIds } from '../journal/named-ids.ts';
import type { Problem } from '../lib/problem.ts';
import { toTimestamp } from '../lib/time.ts';
import type { OperationId } from '../operations/index.ts';
import type { Project } from '../project/project.ts';
import type { RuleSet } from '../scenarios/compile.ts';
import type { Decision } from '../scenarios/decide.ts';
import { explainNotes, type StoredNotes, visitNotes } from '../scenarios/explain.ts';
import type { ObservedFailure } from '../scenarios/failure-kinds.ts';
import type { Scenario } from '../scenarios/types.ts';
import { redactHeaders, redactUrl } from './redact.ts';
import type { Reply } from './reply.ts';

/** Parts of a request, without its body. */
export interface ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: NodeJS.Dict<string | string[]>;
}

/** Data of a request while it is handled. */
export interface RequestContext {
  readonly request: ApiRequest;
  readonly id: string;
  /** Time of the project's clock when the request was applied, in milliseconds since 1970. */
  readonly atMs: number;
  /** How many times faster than real time the project's clock ran then; 0 if it was frozen. */
  readonly clockRate: number;
  readonly project: Project | undefined;
  /** Number of this change among all changes of its project. */
  readonly change: number;
  readonly startedMs: number;
  readonly operationId: OperationId | undefined;
  body?: RecordedBody | undefined;
  /** Why a replay can't send the body: it could not be read, or may contain a password that can't be found. */
  bodyProblem?: Problem | undefined;
  scenario?: Scenario;
  /** The problem, if the request would have exceeded a limit of its project. */
  limitProblem?: Problem;
  warnings: string[];
  /** Total number of warnings; `warnings` lists the first hundred. */
  warningCount: number;
  /** Number of entries that the response lists as failed. */
  rejectedCount: number;
  /** The ids that a valid request names. */
  named?: NamedIds;
  rules?: { readonly set: RuleSet; readonly decision: Decision };
  /** The failure that the client observes in the response to a valid request. */
  observedFailure?: ObservedFailure;
}

/** Every 401 names a way to authenticate (RFC 9110, 15.5.2). No registered scheme describes a key in its own header. */
const challenge = 'ApiKey realm="field-sandbox", header="apikey"';

/** Adds the headers of every response. Does not replace a challenge set by a scenario. */
export function withStandardHeaders({ id, warningCount }: RequestContext, reply: Reply): Reply {
  const headers: Record<string, string> = { ...reply.headers, 'x-request-id': id };
  if (reply.status === 401) headers['www-authenticate'] ??= challenge;
  if (warningCount > 0) headers['x-sandbox-warnings'] = String(warningCount);
  return { ...reply, headers };
}

/** Creates the journal entry of a request; the caller sets its duration after the response. */
export function toEntry(
  context: RequestContext,
  reply: Reply,
  isKey: (text: string) => boolean,
): NewEntry & { durationMs: number } {
  const { request, id, project, operationId, rules, bodyProblem, scenario, limitProblem } = context;
  const explained = rules && operationId ? toExplained(rules.set, operationId, rules.decision) : noExplanation;
  return {
    id,
    at: toTimestamp(context.atMs),
    project: project?.id,
    operation: operationId,
    method: request.method,
    url: redactUrl(request.url, isKey, project === undefined),
    requestHeaders: redactHeaders(request.headers, isKey),
    requestBody: context.body,
    status: reply.status,
    fault: reply.fault?.kind,
    durationMs: 0,
    rejectedCount: context.rejectedCount,
    warnings: [...context.warnings],
    named: context.named,
    responseHeaders: reply.headers,
    responseBody: reply.body,
    ...(reply.problem && { problem: reply.problem }),
    evidence: {
      change: context.change,
      atMs: context.atMs,
      bodyProblem,
      limitProblem,
      clockRate: context.clockRate,
      scenario,
      secretTests: orUndefinedIfEmpty(rules?.decision.secretTests),
      serverCounts: orUndefinedIfEmpty(rules?.decision.serverCounts),
    },
    observedFailure: context.observedFailure,
    ruleCount: explained.ruleCount,
    notesSize: rules?.decision.size ?? 0,
    explain: explained.explain,
    visitRules: explained.visitRules,
  };
}

type Explaining = Pick<NewEntry, 'explain' | 'visitRules' | 'ruleCount'>;

const noExplanation: Explaining = { ruleCount: 0, explain: () => [], visitRules: () => undefined };

/** Stores only the notes of the decision, because its plan may be large. */
function toExplained(set: RuleSet, operation: OperationId, { notes, outline }: StoredNotes): Explaining {
  const noted = { notes, outline };
  return {
    ruleCount: set.rules.length,
    explain: (which) => explainNotes(set, operation, noted, which),
    visitRules: (visit) => visitNotes(set, operation, noted, visit),
  };
}

function orUndefinedIfEmpty<Named extends object>(named: Named | undefined): Named | undefined {
  for (const _name in named) return named;
  return undefined;
}

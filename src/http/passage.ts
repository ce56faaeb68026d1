/** What is known of one request while it goes its way through the API, and the journal's entry that is made of it. */
import type { Problem } from '../base/problem.ts';
import { toTimestamp } from '../base/time.ts';
import type { NewEntry, RecordedBody } from '../journal/journal.ts';
import type { OperationId } from '../operations/index.ts';
import type { RuleSet } from '../scenarios/compile.ts';
import type { Decision, SecretTests } from '../scenarios/decide.ts';
import type { Met } from '../scenarios/failure-kinds.ts';
import { explainNotes } from '../scenarios/trace.ts';
import type { Scenario } from '../scenarios/types.ts';
import type { World } from '../world.ts';
import type { RawBody } from './body.ts';
import { recordNow, redactHeaders, redactUrl } from './redact.ts';
import type { Reply } from './reply.ts';

/** The parts of a request that are looked at beside its body. */
export interface ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: NodeJS.Dict<string | string[]>;
}

/** A request on its way. */
export interface Passage {
  readonly request: ApiRequest;
  readonly id: string;
  /** The project's clock when it took effect, in milliseconds. */
  readonly atMs: number;
  readonly world: World | undefined;
  /** Its number among all that changed the world. */
  readonly change: number;
  readonly startedMs: number;
  readonly operationId: OperationId | undefined;
  body?: RecordedBody;
  /** Why nothing of the body may be sent again: it could not be read, or may hold a password that can't be found. */
  unread?: Problem;
  scenario?: Scenario;
  warnings: string[];
  /** How many there are in all; `warnings` tells of the first hundred. */
  warningCount: number;
  /** How many entries its answer lists as failed. */
  refused: number;
  rules?: { readonly set: RuleSet; readonly decision: Decision };
  /** What is unusual about the answer, once the contract let the request through. */
  met?: Met;
}

/** Notes a body of which no value can be shown: nothing of it where it may hold a secret, which could not be found. */
export function noteUnreadable(
  passage: Passage,
  raw: Extract<RawBody, { text: string }>,
  mayHoldSecret: boolean,
  problem: Problem,
): void {
  passage.body = recordNow(raw, mayHoldSecret, undefined);
  if (mayHoldSecret) passage.unread = problem;
}

/** The answer with the headers that every answer has. */
export function toAnswer({ id, warningCount }: Passage, reply: Reply): Reply {
  const headers: Record<string, string> = { ...reply.headers, 'x-request-id': id };
  if (warningCount > 0) headers['x-sandbox-warnings'] = String(warningCount);
  return { ...reply, headers };
}

/** The journal's entry of a request; how long it took is filled in when it has been answered. */
export function toEntry(
  passage: Passage,
  reply: Reply,
  isKey: (text: string) => boolean,
): NewEntry & { durationMs: number } {
  const { request, id, world, operationId, rules, unread, scenario } = passage;
  return {
    id,
    at: world ? world.stamp(passage.atMs) : toTimestamp(passage.atMs),
    project: world?.id,
    operation: operationId,
    method: request.method,
    url: redactUrl(request.url, isKey),
    requestHeaders: redactHeaders(request.headers, isKey),
    requestBody: passage.body,
    status: reply.status,
    fault: reply.fault?.kind,
    durationMs: 0,
    refused: passage.refused,
    warnings: [...passage.warnings],
    responseHeaders: reply.headers,
    responseBody: reply.body,
    evidence: {
      change: passage.change,
      atMs: passage.atMs,
      unread,
      scenario,
      secretTests: toNoted(rules?.decision.secretTests),
    },
    met: passage.met,
    explain: () => (rules && operationId ? explainNotes(rules.set, operationId, rules.decision) : []),
  };
}

function toNoted(secretTests: SecretTests | undefined): SecretTests | undefined {
  for (const _name in secretTests) return secretTests;
  return undefined;
}

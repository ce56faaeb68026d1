/** Defines what the journal stores: requests with what a replay needs, and settings; and estimates their memory. */
import type { Trigger } from '../callbacks/callback.ts';
import type { Cause, Problem, ShownProblem, Warning } from '../lib/problem.ts';
import type { Applied, NamedIds } from '../records/records.ts';
import type { RecordedCounts } from '../scenarios/counts.ts';
import type { RuleNotes } from '../scenarios/explain.ts';
import type { ObservedFailure } from '../scenarios/failure-kinds.ts';
import type { SecretTests } from '../scenarios/secret-tests.ts';
import type { ConnectionFault, Scenario } from '../scenarios/types.ts';
import { sizeOfKeptText, sizeOfValue } from '../usage/size.ts';

/** The data that a replay needs in addition to the displayed request. Contains no secrets. */
export interface ReplayInfo {
  /** Number of this change among all changes of its project. */
  readonly change: number;
  /** Time of the project's clock when the request was applied, in milliseconds since 1970. */
  readonly atMs: number;
  /** The reason why the body could not be read. */
  readonly bodyProblem?: Problem | undefined;
  /** The limit that rejected the request; a replay has no limits. */
  readonly limitProblem?: Problem | undefined;
  /** How many times faster than real time the project's clock ran; 0 if it was frozen. Default: 1. */
  readonly clockRate?: number;
  /** The scenario named in the request's header, as it was then. */
  readonly scenario?: Scenario | undefined;
  /** Results of the rules' conditions on secrets. */
  readonly secretTests?: SecretTests | undefined;
  /** Counts of rules with `scope: server` over all projects, before this request. */
  readonly serverCounts?: RecordedCounts | undefined;
}

/** A request's body, with its secrets redacted before it is read. */
export interface RecordedBody {
  /** Memory that the body uses, in bytes. */
  readonly size: number;
  /**
   * Redacts secrets at the first call. `shown`: the text to display. `again`: the text to replay, if different; it
   * gets the same response as the original.
   */
  read(): { readonly shown: string; readonly again?: string };
}

export interface JournalEntry extends RuleNotes {
  /** Number in the whole journal, from 1; the cursor of lists. */
  readonly number: number;
  readonly id: string;
  /** Time of the project's clock. */
  readonly at: string;
  readonly project: string | undefined;
  /** Of a stray request: the project that its path names. The request is no part of that project. */
  readonly namedProject?: string | undefined;
  readonly operation: string | undefined;
  readonly method: string;
  readonly url: string;
  /** Whether the client used https. */
  readonly isSecure?: boolean;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody: RecordedBody | undefined;
  /** 0 if the connection was broken before a status was sent. */
  readonly status: number;
  /** The connection fault that a scenario caused. */
  readonly fault: ConnectionFault | undefined;
  readonly durationMs: number;
  /** Number of entries that the response lists as failed. */
  readonly rejectedCount: number;
  readonly warnings: Warning[];
  /** The ids that it names, whether or not its body is valid; undefined without an operation. */
  readonly named?: NamedIds | undefined;
  /**
   * What it did to the records: at once, then by each of its deferred commands. Empty if it was not processed; its
   * first one then has the entries that the response rejects.
   */
  readonly applied: Applied[];
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string | undefined;
  /** The message and mistakes of an error whose body a profile changed. */
  readonly problem?: ShownProblem;
  /** Why the whole request was rejected, or what a scenario sent in its place. */
  readonly cause?: Cause | undefined;
  readonly evidence: ReplayInfo;
  /** The failure that the client observed; not set for rejections by the contract or an API key. */
  readonly observedFailure?: ObservedFailure | undefined;
}

/** Scenarios of a project, or of all. `keeps`: the counts of those continue that were active before with the same content. */
export type ScenarioSetting<Scenarios> =
  | { readonly kind: 'scenarios'; readonly scenarios: Scenarios; readonly keeps?: true }
  | { readonly kind: 'server-scenarios'; readonly scenarios: Scenarios };

/** A change made through the control API. `now` and `to` are times of the project's clock. `rate`: default 1. */
export type RecordedSetting =
  | ScenarioSetting<readonly Scenario[]>
  | { readonly kind: 'clock'; readonly mode: 'real' | 'frozen'; readonly rate?: number; readonly now: string }
  | { readonly kind: 'advance'; readonly to: string }
  | { readonly kind: 'callback-endpoint'; readonly url: string | null; readonly disabled: boolean }
  | { readonly kind: 'redelivery'; readonly callback: string }
  | ({ readonly kind: 'trigger' } & Trigger)
  | { readonly kind: 'snapshot'; readonly snapshot: object };

export interface SettingEntry {
  /** Number of this change among all changes of its project. */
  readonly change: number;
  readonly atMs: number;
  readonly setting: RecordedSetting;
}

/** What the journal stores under a number: a request or a changed setting. */
export type JournalItem = { readonly number: number } & (
  | { readonly request: JournalEntry }
  | { readonly setting: SettingEntry }
);

export type NewEntry = Omit<JournalEntry, 'number'>;

/** Memory of an entry without its bodies, in bytes. */
export const overhead = 1500;

export function sizeOfRequest(entry: JournalEntry): number {
  const { requestBody, responseBody, url, requestHeaders, warnings, notesSize, named, applied } = entry;
  let size = overhead + notesSize + (requestBody?.size ?? 0) + sizeOf(responseBody);
  size += url.length + sizeOfWarnings(warnings);
  if (named) size += sizeOfNamed(named);
  if (entry.problem) size += sizeOfValue(entry.problem);
  for (const one of applied) size += one.size;
  for (const facts of [entry.evidence.secretTests, entry.evidence.serverCounts]) {
    if (facts) size += 2 * JSON.stringify(facts).length;
  }
  for (const name in requestHeaders) size += name.length + (requestHeaders[name] as string).length;
  return size;
}

/** Memory of the ids that a request names, without their texts, in bytes. */
const namedBytes = 126;
const idBytes = 24;

function sizeOfNamed({ ids }: NamedIds): number {
  let size = namedBytes;
  for (const id of ids) size += idBytes + id.length;
  return size;
}

/** Memory of a warning without its texts, in bytes. */
const warningBytes = 100;

export function sizeOfWarnings(warnings: readonly Warning[]): number {
  let size = 0;
  for (const { path, message } of warnings) size += warningBytes + path.length + message.length;
  return size;
}

/** Returns the memory of a text, in bytes: two per character if it has non-ASCII characters. */
function sizeOf(text: string | undefined): number {
  return text === undefined ? 0 : sizeOfKeptText(text);
}

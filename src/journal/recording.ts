/** A recording: all that changed one project since it began, as one value that can be played again elsewhere. */

import type { Problem } from '../base/problem.ts';
import { toTimestamp } from '../base/time.ts';
import type { SecretTests } from '../scenarios/decide.ts';
import { isSecretPath } from '../scenarios/matcher.ts';
import type { ConnectionFault, Expectation, ItemCondition, Matcher, Scenario, Where } from '../scenarios/types.ts';
import type { NewEntry } from './journal.ts';

/** Something that was set from outside, beside the API's requests. `at` and `now` are of the project's clock. */
export type Setting =
  | { readonly kind: 'scenarios' | 'server-scenarios'; readonly scenarios: readonly Scenario[] }
  | { readonly kind: 'clock'; readonly mode: 'real' | 'frozen'; readonly now: string }
  | { readonly kind: 'advance'; readonly to: string }
  | { readonly kind: 'callback-endpoint'; readonly url: string | null; readonly disabled: boolean }
  | { readonly kind: 'redelivery'; readonly callback: string }
  | { readonly kind: 'snapshot'; readonly snapshot: object };

/** A setting as the journal keeps it. */
export interface SettingEntry {
  /** Its number among all that changed its world. */
  readonly change: number;
  readonly atMs: number;
  readonly setting: Setting;
}

/** A request as it can be made again; no secret is in it. */
export interface RecordedRequest {
  readonly kind: 'request';
  readonly id: string;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    /** Why there is no body: it could not be read. */
    readonly unread?: Problem;
  };
  /** The scenario that its header named: a place in `scenarios`. */
  readonly scenario?: number;
  readonly secretTests?: SecretTests;
  readonly response: { readonly status: number; readonly body?: string; readonly fault?: ConnectionFault };
}

/** A callback that was raised, and what became of it until the recording was taken. */
export interface RecordedCallback {
  readonly kind: 'callback';
  readonly id: string;
  readonly requestId: string;
  readonly state: string;
  readonly body: object;
  readonly attempts: readonly {
    readonly at: string;
    readonly status?: number;
    readonly error?: string;
    readonly sent: string;
  }[];
}

type RecordedSetting =
  | Exclude<Setting, { kind: 'scenarios' | 'server-scenarios' }>
  | { readonly kind: 'scenarios' | 'server-scenarios'; readonly scenarios: readonly number[] };

/** One thing that changed the project: its number, when it was on the project's clock, and what. */
export type RecordedChange = { readonly n: number; readonly at: string } & (
  | RecordedRequest
  | RecordedCallback
  | RecordedSetting
);

export const recordingVersion = 1;

/** All that is needed to play a project's story again. */
export interface Recording {
  readonly recording: typeof recordingVersion;
  readonly project: string;
  /** Whether nothing is missing; what is incomplete can't be played. */
  readonly complete: boolean;
  readonly seed: string;
  readonly strict: boolean;
  readonly begunAt: string;
  /** The project's clock when the recording was taken. */
  readonly now: string;
  /** Where callbacks went at first; null for the inbox. */
  readonly callbackEndpoint: string | null;
  readonly profile: object;
  /** Texts of all scenarios that had a part in it; others refer to them by place. */
  readonly scenarios: readonly string[];
  /** Those in force for all projects when this one began, nearest first; `magicIds` stands behind all others. */
  readonly serverScenarios: readonly number[];
  readonly magicIds: number | null;
  readonly changes: readonly RecordedChange[];
}

/** A callback as it is recorded. */
export interface CallbackSource {
  readonly id: string;
  readonly change: number;
  readonly requestId: string;
  readonly state: string;
  readonly body: { readonly timestamp: string };
  readonly attempts: RecordedCallback['attempts'];
}

/** What a recording is made of. */
export interface RecordingSource
  extends Omit<
    Recording,
    'recording' | 'complete' | 'begunAt' | 'now' | 'scenarios' | 'serverScenarios' | 'magicIds' | 'changes'
  > {
  readonly begunAtMs: number;
  readonly nowMs: number;
  readonly serverScenarios: readonly Scenario[];
  readonly magicIds: Scenario | undefined;
  /** Of this project, in any order. */
  readonly requests: readonly NewEntry[];
  readonly settings: readonly SettingEntry[];
  readonly callbacks: readonly CallbackSource[];
  /** How many changes there were in all. */
  readonly changeCount: number;
  /** Whether a text is one of the keys, which stand in no recording. */
  isKey(text: string): boolean;
}

/** Puts a recording together. */
export function toRecording(source: RecordingSource): Recording {
  const { project, seed, strict, begunAtMs, nowMs, callbackEndpoint, profile, requests, settings, callbacks } = source;
  const shelf = createShelf(source.isKey);
  const changes: RecordedChange[] = [
    ...requests.map((entry) => toRequest(entry, shelf.place)),
    ...settings.map((entry) => toSetting(entry, shelf.place)),
    ...callbacks.map(toCallback),
  ].sort((a, b) => a.n - b.n);
  return {
    recording: recordingVersion,
    project,
    complete: changes.length === source.changeCount,
    seed,
    strict,
    begunAt: toTimestamp(begunAtMs),
    now: toTimestamp(nowMs),
    callbackEndpoint,
    profile,
    serverScenarios: source.serverScenarios.map(shelf.place),
    magicIds: source.magicIds ? shelf.place(source.magicIds) : null,
    scenarios: shelf.texts,
    changes,
  };
}

/** Keeps each scenario's text once. */
function createShelf(isKey: RecordingSource['isKey']): {
  readonly texts: readonly string[];
  place(scenario: Scenario): number;
} {
  const texts: string[] = [];
  return {
    texts,
    place: (scenario) => {
      const text = JSON.stringify(withoutSecrets(scenario, isKey), null, 2);
      const known = texts.indexOf(text);
      return known >= 0 ? known : texts.push(text) - 1;
    },
  };
}

/** What stands for a secret that a condition wants: what the condition came to is recorded with each request. */
const standIn = '***';

function withoutSecrets(scenario: Scenario, isKey: RecordingSource['isKey']): Scenario {
  const isClean = (path: string, matcher: Matcher): boolean =>
    !isSecretPath(path) && !textsOf(matcher).some((text) => isKey(text));
  const clean = (where: Where): Where =>
    Object.fromEntries(
      Object.entries(where).map(([path, matcher]) => [path, isClean(path, matcher) ? matcher : standIn]),
    );
  const cleanItem = (item: ItemCondition | undefined): { readonly item?: ItemCondition } =>
    typeof item === 'object' && 'where' in item ? { item: { where: clean(item.where) } } : {};
  const rules = scenario.rules.map((rule) => {
    if (!rule.when) return rule;
    const { where, item } = rule.when;
    return { ...rule, when: { ...rule.when, ...(where && { where: clean(where) }), ...cleanItem(item) } };
  });
  const expect = scenario.expect?.map((wanted): Expectation => {
    if (!('requests' in wanted)) return wanted;
    return { ...wanted, requests: { ...wanted.requests, ...cleanItem(wanted.requests.item) } };
  });
  return { ...scenario, rules, ...(expect && { expect }) };
}

/** The texts that a matcher wants. */
function textsOf(matcher: Matcher): readonly string[] {
  const values = typeof matcher === 'object' && matcher !== null ? Object.values(matcher).flat() : [matcher];
  return values.filter((value) => typeof value === 'string');
}

function toRequest(entry: NewEntry, place: (scenario: Scenario) => number): RecordedChange {
  const { evidence, fault, responseBody } = entry;
  const recorded = evidence.unread ? undefined : entry.requestBody?.read();
  const body = recorded?.again ?? recorded?.shown;
  return {
    n: evidence.change,
    at: toTimestamp(evidence.atMs),
    kind: 'request',
    id: entry.id,
    request: {
      method: entry.method,
      url: entry.url,
      headers: entry.requestHeaders,
      ...(body !== undefined && { body }),
      ...(evidence.unread && { unread: evidence.unread }),
    },
    ...(evidence.scenario && { scenario: place(evidence.scenario) }),
    ...(evidence.secretTests && { secretTests: evidence.secretTests }),
    response: {
      status: entry.status,
      ...(responseBody !== undefined && { body: responseBody }),
      ...(fault && { fault }),
    },
  };
}

function toSetting({ change, atMs, setting }: SettingEntry, place: (scenario: Scenario) => number): RecordedChange {
  const base = { n: change, at: toTimestamp(atMs) };
  return 'scenarios' in setting
    ? { ...base, kind: setting.kind, scenarios: setting.scenarios.map(place) }
    : { ...base, ...setting };
}

function toCallback({ id, change, requestId, state, body, attempts }: CallbackSource): RecordedChange {
  return {
    n: change,
    at: body.timestamp,
    kind: 'callback',
    id,
    requestId,
    state,
    body,
    attempts: attempts.map(({ at, status, error, sent }) => ({
      at,
      ...(status !== undefined && { status }),
      ...(error !== undefined && { error }),
      sent,
    })),
  };
}

/** Defines recordings: all changes of a project since its creation, as one value that can be replayed elsewhere. */
import type { Attempt } from '../callbacks/callback.ts';
import type { Problem } from '../lib/problem.ts';
import type { RecordedCounts } from '../scenarios/counts.ts';
import { isSecretPath } from '../scenarios/matcher.ts';
import type { SecretTests } from '../scenarios/secret-tests.ts';
import type {
  ConnectionFault,
  Expectation,
  FieldConditions,
  ItemCondition,
  Matcher,
  Scenario,
} from '../scenarios/types.ts';
import type { RecordedSetting, ScenarioSetting } from './entry.ts';

/** A request as a replay sends it; contains no secrets. */
export interface RecordedRequest {
  readonly kind: 'request';
  readonly id: string;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    /** The reason why the body could not be read; set instead of `body`. */
    readonly unread?: Problem;
    /** The limit that rejected the request; a replay has no limits. */
    readonly full?: Problem;
  };
  /** The scenario named in the request's header: an index into `scenarios`. */
  readonly scenario?: number;
  readonly secretTests?: SecretTests;
  /** Counts of rules with `scope: server` over all projects, before this request. */
  readonly serverCounts?: RecordedCounts;
  /** How many times faster than real time the project's clock ran. Default: 1, or it was frozen. */
  readonly rate?: number;
  readonly response: { readonly status: number; readonly body?: string; readonly fault?: ConnectionFault };
}

/** A callback, with its state and attempts at the time of the recording. */
export interface RecordedCallback {
  readonly kind: 'callback';
  readonly id: string;
  readonly requestId: string;
  readonly state: string;
  readonly body: object;
  readonly attempts: readonly Pick<Attempt, 'at' | 'status' | 'error' | 'sent'>[];
  /** Counts of rules with `scope: server` over all projects, before this callback. */
  readonly serverCounts?: RecordedCounts;
}

type SettingChange =
  | Exclude<RecordedSetting, { kind: 'scenarios' | 'server-scenarios' }>
  | ScenarioSetting<readonly number[]>;

/** A change of the project: its number, the time on the project's clock, and its content. */
export type RecordedChange = { readonly n: number; readonly at: string } & (
  | RecordedRequest
  | RecordedCallback
  | SettingChange
);

export const recordingVersion = 1;

/** All data that is needed to replay a project. */
export interface Recording {
  readonly recording: typeof recordingVersion;
  readonly project: string;
  /** Whether it contains all changes; an incomplete recording can't be replayed. */
  readonly complete: boolean;
  /** Why it is incomplete; absent if it is complete. */
  readonly incomplete?: string;
  readonly seed: string;
  readonly strict: boolean;
  readonly begunAt: string;
  /** Time of the project's clock when the recording was created. */
  readonly now: string;
  /** Initial URL for callbacks; null for the inbox. */
  readonly callbackEndpoint: string | null;
  readonly profile: object;
  /** The overlay files that the profile names; absent if it names none. */
  readonly overlays?: readonly { readonly name: string; readonly text: string }[];
  /** Texts of all scenarios that the project used; other fields refer to them by index. */
  readonly scenarios: readonly string[];
  /** Scenarios active for all projects when this one was created, highest priority first; `magicIds` has the lowest. */
  readonly serverScenarios: readonly number[];
  readonly magicIds: number | null;
  readonly changes: readonly RecordedChange[];
}

/** A recording whose changes can be iterated at any later time; each body is redacted when it is reached. */
export type CapturedRecording = Omit<Recording, 'changes'> & { readonly changes: Iterable<RecordedChange> };

/** Why a recording is incomplete: the most frequent reason. */
export const droppedChanges = 'the journal had already deleted some changes';

/** Replaces a secret in a condition; each recorded request has the result of the condition. */
const placeholder = '***';

/** Replaces the secrets in the conditions of a scenario. */
export function withoutSecrets(scenario: Scenario, isKey: (text: string) => boolean): Scenario {
  const isClean = (path: string, matcher: Matcher): boolean =>
    !isSecretPath(path) && !textsOf(matcher).some((text) => isKey(text));
  const clean = (where: FieldConditions): FieldConditions =>
    Object.fromEntries(
      Object.entries(where).map(([path, matcher]) => [path, isClean(path, matcher) ? matcher : placeholder]),
    );
  const cleanItem = (item: ItemCondition | undefined): { readonly item?: ItemCondition } =>
    typeof item === 'object' && 'where' in item ? { item: { where: clean(item.where) } } : {};
  const rules = scenario.rules.map((rule) => {
    if (!rule.when) return rule;
    const { where, item } = rule.when;
    return { ...rule, when: { ...rule.when, ...(where && { where: clean(where) }), ...cleanItem(item) } };
  });
  const expect = scenario.expect?.map((expectation): Expectation => {
    if (!('requests' in expectation)) return expectation;
    return { ...expectation, requests: { ...expectation.requests, ...cleanItem(expectation.requests.item) } };
  });
  return { ...scenario, rules, ...(expect && { expect }) };
}

/** Returns the texts that a matcher compares with. */
function textsOf(matcher: Matcher): readonly string[] {
  const values = typeof matcher === 'object' && matcher !== null ? Object.values(matcher).flat() : [matcher];
  return values.filter((value) => typeof value === 'string');
}

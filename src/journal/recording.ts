/** Creates recordings: all changes of a project since its creation, as one value that can be replayed elsewhere. */
import type { Attempt } from '../callbacks/callback.ts';
import type { Problem } from '../lib/problem.ts';
import { toTimestamp } from '../lib/time.ts';
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
import type { RecordedSetting, ScenarioSetting, SettingEntry } from './control-change.ts';
import type { NewEntry } from './entry.ts';

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

export interface CallbackSource
  extends Pick<RecordedCallback, 'id' | 'requestId' | 'state' | 'attempts' | 'serverCounts'> {
  readonly change: number;
  readonly body: { readonly timestamp: string };
}

/** Input of a recording. */
export interface RecordingSource
  extends Omit<
    Recording,
    | 'recording'
    | 'complete'
    | 'incomplete'
    | 'begunAt'
    | 'now'
    | 'scenarios'
    | 'serverScenarios'
    | 'magicIds'
    | 'changes'
  > {
  readonly begunAtMs: number;
  readonly nowMs: number;
  readonly serverScenarios: readonly Scenario[];
  readonly magicIds: Scenario | undefined;
  /** Requests of this project, in any order. */
  readonly requests: readonly NewEntry[];
  readonly settings: readonly SettingEntry[];
  readonly callbacks: readonly CallbackSource[];
  readonly changeCount: number;
  /** The project that this one is a fork of. */
  readonly forkedFrom?: { readonly project: string } | undefined;
  /** Returns whether a text is an API key; recordings contain no keys. */
  isKey(text: string): boolean;
  /** Returns whether the reader may see the rules of a scenario for all projects. */
  mayRead(scenario: Scenario): boolean;
}

/** A recording whose changes can be iterated at any later time; each body is redacted when it is reached. */
export type CapturedRecording = Omit<Recording, 'changes'> & { readonly changes: Iterable<RecordedChange> };

/** Lists the scenarios of a recording, each once. */
export interface ScenarioTable {
  readonly texts: readonly string[];
  indexOf(scenario: Scenario): number;
}

/** Creates a recording. `table` collects its scenarios, by default without their secrets. */
export function toRecording(
  source: RecordingSource,
  table: ScenarioTable = createScenarioTable(source.isKey),
): CapturedRecording {
  const {
    project,
    seed,
    strict,
    begunAtMs,
    nowMs,
    callbackEndpoint,
    profile,
    overlays,
    requests,
    settings,
    callbacks,
  } = source;
  let hidesRules = false;
  const indexForAll = (scenario: Scenario): number => {
    if (source.mayRead(scenario)) return table.indexOf(scenario);
    hidesRules = true;
    return table.indexOf({ name: scenario.name, rules: [] });
  };
  const changes: CapturedChange[] = [
    ...requests.map((entry) => captureRequest(entry, table.indexOf)),
    ...[...settings.map((entry) => toSetting(entry, table.indexOf, indexForAll)), ...callbacks.map(toCallback)].map(
      (change): CapturedChange => ({ n: change.n, show: () => change }),
    ),
  ].sort((a, b) => a.n - b.n);
  const serverScenarios = source.serverScenarios.map(indexForAll);
  const incomplete = toReason(source, changes.length, hidesRules);
  return {
    recording: recordingVersion,
    project,
    complete: incomplete === undefined,
    ...(incomplete !== undefined && { incomplete }),
    seed,
    strict,
    begunAt: toTimestamp(begunAtMs),
    now: toTimestamp(nowMs),
    callbackEndpoint,
    profile,
    ...(overlays && { overlays }),
    serverScenarios,
    magicIds: source.magicIds ? table.indexOf(source.magicIds) : null,
    scenarios: table.texts,
    changes: { [Symbol.iterator]: () => showAll(changes) },
  };
}

/** Why a recording is incomplete. */
export const droppedChanges = 'the journal had already deleted some changes';
const hiddenRules = 'rules for all projects that are not in the library are recorded only with the admin token';

/** Returns why a recording is incomplete, or undefined. */
function toReason(
  { forkedFrom, changeCount }: RecordingSource,
  recordedCount: number,
  hidesRules: boolean,
): string | undefined {
  if (recordedCount === changeCount) return hidesRules ? hiddenRules : undefined;
  return forkedFrom
    ? `the project is a fork of ${forkedFrom.project}, whose earlier changes are not in its journal`
    : droppedChanges;
}

/** A change that is converted when the iteration reaches it. */
interface CapturedChange {
  readonly n: number;
  show(): RecordedChange;
}

function* showAll(changes: readonly CapturedChange[]): Generator<RecordedChange> {
  for (const change of changes) yield change.show();
}

function captureRequest(entry: NewEntry, index: (scenario: Scenario) => number): CapturedChange {
  const { change: n, scenario } = entry.evidence;
  const scenarioIndex = scenario && index(scenario);
  return { n, show: () => toRequest(entry, scenarioIndex) };
}

/** Creates the list of scenario texts, with each text only once. */
function createScenarioTable(isKey: RecordingSource['isKey']): ScenarioTable {
  const texts: string[] = [];
  const indexByText = new Map<string, number>();
  /** Cached because most requests name the same scenario, and serialising a large one takes milliseconds. */
  const indexByScenario = new Map<Scenario, number>();

  function addScenario(scenario: Scenario): number {
    const text = JSON.stringify(withoutSecrets(scenario, isKey), null, 2);
    const index = indexByText.get(text) ?? texts.push(text) - 1;
    indexByText.set(text, index);
    indexByScenario.set(scenario, index);
    return index;
  }

  return { texts, indexOf: (scenario) => indexByScenario.get(scenario) ?? addScenario(scenario) };
}

/** Replaces a secret in a condition; each recorded request has the result of the condition. */
const placeholder = '***';

/** Replaces the secrets in the conditions of a scenario. */
export function withoutSecrets(scenario: Scenario, isKey: RecordingSource['isKey']): Scenario {
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

/** Whether a rate changes what a replay gets: it replays with the rate 1 by default, like with a frozen clock. */
function hasRate(clockRate: number | undefined): clockRate is number {
  return clockRate !== undefined && clockRate !== 0 && clockRate !== 1;
}

function toRequest(entry: NewEntry, scenario: number | undefined): RecordedChange {
  const { evidence, fault, responseBody } = entry;
  const recorded = evidence.bodyProblem ? undefined : entry.requestBody?.read();
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
      ...(evidence.bodyProblem && { unread: evidence.bodyProblem }),
      ...(evidence.limitProblem && { full: evidence.limitProblem }),
    },
    ...(scenario !== undefined && { scenario }),
    ...(evidence.secretTests && { secretTests: evidence.secretTests }),
    ...(evidence.serverCounts && { serverCounts: evidence.serverCounts }),
    ...(hasRate(evidence.clockRate) && { rate: evidence.clockRate }),
    response: {
      status: entry.status,
      ...(responseBody !== undefined && { body: responseBody }),
      ...(fault && { fault }),
    },
  };
}

function toSetting(
  { change, atMs, setting }: SettingEntry,
  index: (scenario: Scenario) => number,
  indexForAll: (scenario: Scenario) => number,
): RecordedChange {
  const base = { n: change, at: toTimestamp(atMs) };
  if (!('scenarios' in setting)) return { ...base, ...setting };
  const scenarios = setting.scenarios.map(setting.kind === 'scenarios' ? index : indexForAll);
  return { ...base, ...setting, scenarios };
}

function toCallback(callback: CallbackSource): RecordedChange {
  const { id, change, requestId, state, body, attempts, serverCounts } = callback;
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
    ...(serverCounts && { serverCounts }),
  };
}

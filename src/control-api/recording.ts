/** Control API handler that records a project: all its changes as one value that can be replayed elsewhere. */
import type { Callback } from '../callbacks/callback.ts';
import { redactEndpoint } from '../http/redact.ts';
import type { NewEntry, SettingEntry } from '../journal/entry.ts';
import {
  type CapturedRecording,
  droppedChanges,
  type RecordedChange,
  recordingVersion,
  withoutSecrets,
} from '../journal/recording.ts';
import { toTimestamp } from '../lib/time.ts';
import type { Project } from '../project/project.ts';
import type { Scenario } from '../scenarios/types.ts';
import { admin, type Caller } from './caller.ts';
import { type ControlHandlers, type ControlParts, okInPieces, projectOf } from './handler.ts';
import { mayReadForAll } from './scenarios.ts';

/** Lists the scenarios of a recording, each once. */
export class ScenarioTable {
  readonly sources: Scenario[] = [];
  readonly #indexes = new Map<Scenario | string, number>();

  indexOf(scenario: Scenario): number {
    const known = this.#indexes.get(scenario);
    if (known !== undefined) return known;
    // Written once per scenario, because that takes milliseconds for a large one, and most requests name the same.
    const text = JSON.stringify(scenario);
    const index = this.#indexes.get(text) ?? this.sources.push(scenario) - 1;
    this.#indexes.set(text, index).set(scenario, index);
    return index;
  }
}

type IndexOf = (scenario: Scenario) => number;

/**
 * Records a project as it is now, after the work that is due, as far as the caller may read it. `table` collects its
 * scenarios with their secrets.
 */
export function recordProject(
  parts: ControlParts,
  project: string,
  caller: Caller = admin,
  table: ScenarioTable = new ScenarioTable(),
): CapturedRecording {
  const { projects, journal, keys, seed, strict, profile, overlays, defaultEndpoint, defaultClock, wall } = parts;
  const found = projects.find(project);
  // First, because it runs due work, which changes the data below.
  const nowMs = found?.runDue() ?? defaultClock.nowMs ?? wall.now();
  let hidesRules = false;
  const indexOf: IndexOf = (scenario) => table.indexOf(scenario);
  const indexForAll: IndexOf = (scenario) => {
    if (mayReadForAll(parts, caller, scenario)) return indexOf(scenario);
    hidesRules = true;
    return indexOf({ name: scenario.name, rules: [] });
  };
  const changes: readonly CapturedChange[] = [
    ...[...journal.list(project), ...(found?.delayedRequests ?? [])].map((entry) => captureRequest(entry, indexOf)),
    ...journal.settings(project).map((entry) => capture(toSetting(entry, indexOf, indexForAll))),
    ...Array.from(found?.state.callbacks.values() ?? [], (callback) => capture(toCallback(callback))),
  ].sort((a, b) => a.n - b.n);
  const initial = found?.initialServerScenarios ?? projects.serverScenarios;
  const serverScenarios = initial.map(({ source }) => indexForAll(source));
  const magicIds = projects.magicIds ? indexOf(projects.magicIds.source) : null;
  const isWhole = changes.length === (found?.state.changeCount ?? 0);
  const incomplete = isWhole ? (hidesRules ? hiddenRules : undefined) : whyIncomplete(found, caller);
  return {
    recording: recordingVersion,
    project,
    complete: incomplete === undefined,
    ...(incomplete !== undefined && { incomplete }),
    seed,
    strict,
    begunAt: toTimestamp(found?.state.begunAt ?? nowMs),
    now: toTimestamp(nowMs),
    callbackEndpoint: defaultEndpoint ? redactEndpoint(defaultEndpoint.url) : null,
    profile,
    ...(overlays && { overlays }),
    serverScenarios,
    magicIds,
    scenarios: table.sources.map((scenario) => JSON.stringify(withoutSecrets(scenario, keys.isKey), null, 2)),
    changes: { [Symbol.iterator]: () => showAll(changes) },
  };
}

const hiddenRules = 'rules for all projects that are not in the library are recorded only with the admin token';

function whyIncomplete(project: Project | undefined, { mayUse }: Caller): string {
  const origin = project?.state.forkedFrom?.project;
  if (origin === undefined) return droppedChanges;
  const shown = mayUse(origin) ? origin : 'another project';
  return `the project is a fork of ${shown}, whose earlier changes are not in its journal`;
}

/** A change that is shown when the iteration reaches it: then the body of a request is redacted. */
interface CapturedChange {
  readonly n: number;
  show(): RecordedChange;
}

function* showAll(changes: readonly CapturedChange[]): Generator<RecordedChange> {
  for (const change of changes) yield change.show();
}

function capture(change: RecordedChange): CapturedChange {
  return { n: change.n, show: () => change };
}

function captureRequest(entry: NewEntry, indexOf: IndexOf): CapturedChange {
  const { change: n, scenario } = entry.evidence;
  const index = scenario && indexOf(scenario);
  return { n, show: () => toRequest(entry, index) };
}

function toRequest(entry: NewEntry, scenario: number | undefined): RecordedChange {
  const { evidence, fault, responseBody } = entry;
  const { bodyProblem, limitProblem, secretTests, serverCounts, clockRate: rate = 1 } = evidence;
  const recorded = bodyProblem ? undefined : entry.requestBody?.read();
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
      ...(bodyProblem && { unread: bodyProblem }),
      ...(limitProblem && { full: limitProblem }),
    },
    ...(scenario !== undefined && { scenario }),
    ...(secretTests && { secretTests }),
    ...(serverCounts && { serverCounts }),
    // A replay has the rate 1 by default, as with a frozen clock.
    ...(rate !== 0 && rate !== 1 && { rate }),
    response: {
      status: entry.status,
      ...(responseBody !== undefined && { body: responseBody }),
      ...(fault && { fault }),
    },
  };
}

function toSetting({ change, atMs, setting }: SettingEntry, indexOf: IndexOf, indexForAll: IndexOf): RecordedChange {
  const base = { n: change, at: toTimestamp(atMs) };
  if (!('scenarios' in setting)) return { ...base, ...setting };
  const scenarios = setting.scenarios.map(setting.kind === 'scenarios' ? indexOf : indexForAll);
  return { ...base, ...setting, scenarios };
}

function toCallback({ id, change, requestId, state, body, attempts, serverCounts }: Callback): RecordedChange {
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

export const recordingHandlers: ControlHandlers<'getRecording'> = {
  getRecording: (parts, request) => okInPieces(recordProject(parts, projectOf(request), request.caller)),
};

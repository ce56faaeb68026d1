/** Checks of a recording what its document can't say: what refers to something else in it, and the order of things. */
import { catalogue } from '../base/problem.ts';
import { toTimestamp } from '../base/time.ts';
import type { Contract } from '../contract/contract.ts';
import type { RoutedOperation } from '../contract/router.ts';
import type { RecordedChange, RecordedRequest, Recording } from '../journal/recording.ts';

/** The documents that a recording is held against: the control API's, and the API's with the recording's profile. */
interface Contracts {
  readonly control: Contract;
  readonly api: Contract;
}

type Check = string | undefined;

/** The first thing that keeps a recording of the right shape from being played: where, what was expected, what came. */
export function findMistake(recording: Recording, contracts: Contracts): Check {
  const { serverScenarios, magicIds, changes } = recording;
  const common = [
    checkPlaces('/serverScenarios', serverScenarios, recording),
    magicIds === null ? undefined : checkPlace('/magicIds', magicIds, recording),
    checkInstant('/begunAt', recording.begunAt, undefined),
  ].find(isMistake);
  if (common !== undefined) return common;
  let before = recording.begunAt;
  for (const [index, change] of changes.entries()) {
    const path = `/changes/${index}`;
    const wrong = [
      change.n === index + 1 ? undefined : `${path}/n: expected ${index + 1}, got ${change.n}`,
      checkInstant(`${path}/at`, change.at, before),
      checkChange(path, change, recording, contracts),
    ].find(isMistake);
    if (wrong !== undefined) return wrong;
    before = change.at;
  }
  return checkInstant('/now', recording.now, before);
}

function isMistake(check: Check): check is string {
  return check !== undefined;
}

function checkPlaces(path: string, places: readonly number[], recording: Recording): Check {
  return places.map((place, index) => checkPlace(`${path}/${index}`, place, recording)).find(isMistake);
}

function checkPlace(path: string, place: number, { scenarios }: Recording): Check {
  if (place < scenarios.length) return undefined;
  const expected = scenarios.length === 0 ? 'none, since there are no scenarios' : `at most ${scenarios.length - 1}`;
  return `${path}: expected a place in /scenarios, ${expected}, got ${place}`;
}

function checkInstant(path: string, at: string, before: string | undefined): Check {
  const ms = Date.parse(at);
  if (Number.isNaN(ms)) return `${path}: expected a day and time that exist, such as ${toTimestamp(0)}, got ${at}`;
  if (before === undefined || ms >= Date.parse(before)) return undefined;
  return `${path}: expected an instant that is not before ${before}, got ${at}`;
}

function checkChange(path: string, change: RecordedChange, recording: Recording, contracts: Contracts): Check {
  switch (change.kind) {
    case 'request':
      return checkRequest(path, change, recording, contracts);
    case 'scenarios':
    case 'server-scenarios':
      return checkPlaces(`${path}/scenarios`, change.scenarios, recording);
    case 'snapshot':
      return checkSnapshot(`${path}/snapshot`, change.snapshot, recording, contracts);
    default:
      return undefined;
  }
}

function checkRequest(path: string, change: RecordedRequest, recording: Recording, { api }: Contracts): Check {
  const { request, scenario } = change;
  const match = api.match(request.method, request.url);
  if (!match.found) {
    return `${path}/request: expected the method and URL of an operation, as the profile has them, got ${request.method} ${request.url}`;
  }
  const project = match.params['projectId'];
  if (project !== recording.project) {
    return `${path}/request/url: expected one of the project ${recording.project}, got ${request.url}`;
  }
  if (request.unread) {
    const { kind, message } = request.unread;
    const kinds = Object.keys(catalogue);
    if (!kinds.includes(kind)) return `${path}/request/unread/kind: expected one of ${kinds.join(', ')}, got ${kind}`;
    if (typeof message !== 'string') return `${path}/request/unread/message: expected a string`;
  }
  return scenario === undefined ? undefined : checkPlace(`${path}/scenario`, scenario, recording);
}

/** It is restored as PUT /snapshot would, and so must be one that it takes. */
function checkSnapshot(path: string, body: object, { project }: Recording, { control }: Contracts): Check {
  const operation = control.operations.get('putSnapshot') as RoutedOperation;
  const shape = { params: { projectId: project }, query: {}, body };
  const { violations } = control.judge(operation, shape, { list: undefined, strict: true, depth: 100 });
  const [first] = violations;
  return first && `${path}${first.path}: ${first.message}`;
}

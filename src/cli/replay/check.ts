/** Checks what the schema of a recording can't express: references within it, and the order of changes. */

import type { RecordedChange, RecordedRequest, Recording } from '../../journal/recording.ts';
import { isNamed } from '../../keys/region.ts';
import { catalogue } from '../../lib/problem.ts';
import { toTimestamp } from '../../lib/time.ts';
import type { Contract } from '../../openapi/contract.ts';
import { addFromBody } from '../../openapi/identify.ts';
import type { RoutedOperation } from '../../openapi/router.ts';

/** The contracts that a recording is checked against: the control API's, and the API's with the recording's profile. */
interface Contracts {
  readonly control: Contract;
  readonly api: Contract;
}

type Mistake = string | undefined;

/** Returns the first mistake in a recording of valid shape, with its path, or undefined if it can be replayed. */
export function findMistake(recording: Recording, contracts: Contracts): Mistake {
  const { serverScenarios, magicIds, changes } = recording;
  const headerMistake =
    checkScenarioIndexes('/serverScenarios', serverScenarios, recording) ??
    (magicIds === null ? undefined : checkScenarioIndex('/magicIds', magicIds, recording)) ??
    checkInstant('/begunAt', recording.begunAt, undefined);
  if (headerMistake !== undefined) return headerMistake;
  let previous = recording.begunAt;
  for (const [index, change] of changes.entries()) {
    const path = `/changes/${index}`;
    if (change.n !== index + 1) return `${path}/n: expected ${index + 1}, got ${change.n}`;
    const mistake = checkInstant(`${path}/at`, change.at, previous) ?? checkChange(path, change, recording, contracts);
    if (mistake !== undefined) return mistake;
    previous = change.at;
  }
  return checkInstant('/now', recording.now, previous);
}

function checkScenarioIndexes(path: string, indexes: readonly number[], recording: Recording): Mistake {
  return indexes
    .map((scenarioIndex, index) => checkScenarioIndex(`${path}/${index}`, scenarioIndex, recording))
    .find((mistake) => mistake !== undefined);
}

function checkScenarioIndex(path: string, scenarioIndex: number, { scenarios }: Recording): Mistake {
  if (scenarioIndex < scenarios.length) return undefined;
  const expected = scenarios.length === 0 ? 'but /scenarios is empty' : `at most ${scenarios.length - 1}`;
  return `${path}: expected an index of /scenarios, ${expected}, got ${scenarioIndex}`;
}

function checkInstant(path: string, at: string, previous: string | undefined): Mistake {
  const ms = Date.parse(at);
  if (Number.isNaN(ms)) return `${path}: expected a valid date and time, such as ${toTimestamp(0)}, got ${at}`;
  if (previous === undefined || ms >= Date.parse(previous)) return undefined;
  return `${path}: expected a time at or after ${previous}, got ${at}`;
}

function checkChange(path: string, change: RecordedChange, recording: Recording, contracts: Contracts): Mistake {
  switch (change.kind) {
    case 'request':
      return checkRequest(path, change, recording, contracts);
    case 'scenarios':
    case 'server-scenarios':
      return checkScenarioIndexes(`${path}/scenarios`, change.scenarios, recording);
    case 'snapshot':
      return checkSnapshot(`${path}/snapshot`, change.snapshot, recording, contracts);
    default:
      return undefined;
  }
}

function checkRequest(path: string, change: RecordedRequest, recording: Recording, { api }: Contracts): Mistake {
  const { request, scenario } = change;
  const match = api.match(request.method, request.url, request.headers);
  if (!match.found) {
    return `${path}/request: expected the method and URL of an operation of the profile, got ${request.method} ${request.url}`;
  }
  const isInBody = match.operation.identifiers?.isProjectInBody === true;
  if (isInBody) addFromBody(match, parseBody(request.body));
  const project = match.params['projectId'];
  if (!isNamed(recording.project, project)) {
    return isInBody
      ? `${path}/request/body: expected "projectId": ${JSON.stringify(recording.project)}`
      : `${path}/request/url: expected a URL of project ${recording.project}, got ${request.url}`;
  }
  for (const name of ['unread', 'full'] as const) {
    const problem = request[name];
    if (!problem) continue;
    const { kind, message } = problem;
    const kinds = Object.keys(catalogue);
    if (!kinds.includes(kind)) return `${path}/request/${name}/kind: expected one of ${kinds.join(', ')}, got ${kind}`;
    if (typeof message !== 'string') return `${path}/request/${name}/message: expected a string`;
  }
  return scenario === undefined ? undefined : checkScenarioIndex(`${path}/scenario`, scenario, recording);
}

function parseBody(text = ''): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Checks a snapshot against the schema of PUT /snapshot, because the replay restores it in the same way. */
function checkSnapshot(path: string, body: object, { project }: Recording, { control }: Contracts): Mistake {
  const operation = control.operations.get('putSnapshot') as RoutedOperation;
  const shape = { params: { projectId: project }, query: {}, body };
  const { violations } = control.validate(operation, shape, { list: undefined, strict: true, depth: 100 });
  const [first] = violations;
  return first && `${path}${first.path}: ${first.message}`;
}

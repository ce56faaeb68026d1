/** Replays a recording in a new project with a frozen clock, sends nothing, and finds the first difference. */

import { defaultSecret } from '../../callbacks/signature.ts';
import { defaultKey } from '../../config/keys.ts';
import { createCore } from '../../core.ts';
import { parseJson, toRawBody } from '../../http/body.ts';
import { createRequestHandler, type RequestHandler } from '../../http/request-handler.ts';
import type { RecordedCallback, RecordedChange, RecordedRequest } from '../../journal/recording.ts';
import { runAll } from '../../lib/slices.ts';
import type { WallClock } from '../../lib/time.ts';
import type { Project } from '../../project/project.ts';
import type { ProjectRegistry } from '../../project/registry.ts';
import { fromSnapshot, type Snapshot } from '../../records/snapshot.ts';
import { createLibrary } from '../../scenarios/library.ts';
import { compareCallbacks, compareRequest, type Difference } from './compare.ts';
import type { LoadedRecording } from './read.ts';

/** Result of a replay: the numbers of compared requests and callbacks, and the first difference, if any. */
export interface ReplayResult {
  readonly requests: number;
  readonly callbacks: number;
  readonly difference: Difference | undefined;
}

type Change<Kind extends RecordedChange['kind']> = Extract<RecordedChange, { kind: Kind }>;

/** Replays a recording up to the first difference. Calls `progress` with the number of replayed changes. */
export async function replayRecording(
  loaded: LoadedRecording,
  progress: (replayed: number) => void = () => undefined,
): Promise<ReplayResult> {
  const { recording } = loaded;
  const { projects, project, wall, handler, dispose } = await prepare(loaded);
  let requests = 0;
  try {
    for (const [index, change] of recording.changes.entries()) {
      await advanceTo(project, change.at);
      if (change.kind === 'request') {
        const difference = await replayRequest(handler, wall, loaded, change);
        requests += 1;
        if (difference) return { requests, callbacks: 0, difference };
      } else if (change.kind !== 'callback') applySetting(projects, project, loaded, change);
      progress(index + 1);
    }
    await advanceTo(project, recording.now);
    const recorded = recording.changes.filter((change): change is Change<'callback'> => change.kind === 'callback');
    const difference = compareCallbacks(recording, recorded, [...project.state.callbacks.values()]);
    return { requests, callbacks: recorded.length, difference };
  } finally {
    dispose();
  }
}

/** Creates the project in its initial state. */
async function prepare({ recording, applied, contract, scenarios }: LoadedRecording) {
  const { seed, strict, project, callbackEndpoint, serverScenarios, magicIds } = recording;
  const wall = createReplayWall(Date.parse(recording.begunAt));
  const bugs: unknown[] = [];
  const parts = createCore({
    ...applied,
    ...{ seed, strict, wall, contract },
    apiKeys: [defaultKey],
    clock: { mode: 'frozen', nowMs: Date.parse(recording.begunAt) },
    endpoint: callbackEndpoint === null ? undefined : { url: callbackEndpoint, secret: defaultSecret, disabled: false },
    library: createLibrary([]),
    serverScenarios: serverScenarios.flatMap((index) => scenarios[index] ?? []),
    magicIds: magicIds === null ? undefined : scenarios[magicIds],
    // No callback is sent. The comparison does not include the receivers' responses.
    sender: { send: () => Promise.resolve({ status: 204 }) },
    reportError: (_id, error) => bugs.push(error),
  });
  return {
    projects: parts.projects,
    project: parts.projects.open(project),
    wall,
    handler: createRequestHandler(parts),
    dispose: () => {
      parts.projects.dispose();
      if (bugs.length > 0) throw bugs[0];
    },
  };
}

/** Creates a wall clock whose time never changes, and whose timers fire at once. */
export function createReplayWall(nowMs: number): WallClock {
  return {
    now: () => nowMs,
    elapsed: () => 0,
    after: (_ms, run) => {
      const immediate = setImmediate(run);
      return () => clearImmediate(immediate);
    },
  };
}

/** Advances the project's clock, which applies everything that is due until then. */
async function advanceTo(project: Project, at: string): Promise<void> {
  const to = Math.max(project.now(), Date.parse(at));
  await project.schedule.advance(() => ({ to, stopIdle: false }));
}

async function replayRequest(
  handler: RequestHandler,
  wall: WallClock,
  { scenarios }: LoadedRecording,
  recorded: Change<'request'>,
): Promise<Difference | undefined> {
  const { method, url, headers, body = '', unread, full } = recorded.request;
  const raw = unread ? { problem: unread } : toRawBody(body);
  const parsed = unread ? { problem: unread } : await parseJson(body, wall);
  const scenario = recorded.scenario === undefined ? undefined : scenarios[recorded.scenario];
  const { secretTests = {}, rate: recordedRate = 1 } = recorded;
  const reply = await handler.applyReceived(
    { method, url, headers },
    { raw, parsed, scenario, secretTests, recordedRejection: full, recordedRate },
  );
  return compareRequest(recorded, reply);
}

function applySetting(
  projects: ProjectRegistry,
  project: Project,
  { scenarios }: LoadedRecording,
  change: Exclude<RecordedChange, RecordedRequest | RecordedCallback>,
): void {
  switch (change.kind) {
    case 'scenarios':
    case 'server-scenarios': {
      const activated = change.scenarios.flatMap((index) => scenarios[index] ?? []);
      const atMs = Date.parse(change.at);
      if (change.kind === 'scenarios') project.activate(activated, atMs);
      else projects.activateForAll(activated, () => atMs);
      return;
    }
    case 'callback-endpoint':
      project.state.endpoint =
        change.url === null ? undefined : { url: change.url, secret: defaultSecret, disabled: change.disabled };
      return;
    case 'snapshot':
      project.restore(runAll(fromSnapshot(change.snapshot as Snapshot, change.at)), 0);
      return;
    case 'clock':
    case 'advance':
    case 'redelivery':
      // The clock follows the times of the changes; a redelivery changes nothing that is compared.
      return;
    default:
      change satisfies never;
  }
}

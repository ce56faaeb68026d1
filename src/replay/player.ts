/** Plays the changes of a recording in a new project with a frozen clock, and sends nothing. */
import type { Endpoint } from '../callbacks/callback.ts';
import { isListener } from '../callbacks/listener.ts';
import { defaultSecret } from '../callbacks/signature.ts';
import type { AppliedProfile } from '../config/config-files.ts';
import { defaultKey } from '../config/keys.ts';
import { type CoreOptions, createCore } from '../core.ts';
import { parseJson } from '../http/body.ts';
import type { RequestHandlerDeps } from '../http/handler-deps.ts';
import { createNotFound } from '../http/not-found.ts';
import { createPipeline } from '../http/pipeline.ts';
import type { Reply } from '../http/reply.ts';
import type { RecordedCallback, RecordedChange, RecordedRequest, Recording } from '../journal/recording.ts';
import { isNamed } from '../keys/api-key.ts';
import { KeyRing } from '../keys/key-ring.ts';
import type { Problem } from '../lib/problem.ts';
import { runAll } from '../lib/slices.ts';
import type { WallClock } from '../lib/time.ts';
import { timers } from '../lib/timers.ts';
import type { Contract } from '../openapi/contract.ts';
import { addFromBody } from '../openapi/identify.ts';
import type { Project } from '../project/project.ts';
import type { ProjectRegistry } from '../project/registry.ts';
import { fromSnapshot, type Snapshot } from '../records/snapshot.ts';
import type { CompiledScenario } from '../scenarios/compile.ts';
import { restoreServerCounts } from '../scenarios/counts.ts';
import { Library } from '../scenarios/library.ts';

/** A recording with its profile applied to the API's document, and with its scenarios compiled. */
export interface LoadedRecording {
  readonly recording: Recording;
  readonly applied: AppliedProfile;
  readonly contract: Contract;
  readonly scenarios: readonly CompiledScenario[];
}

/** A recording, and what its replay changes. */
export interface ReplayPlan extends LoadedRecording {
  /** Scenarios for all projects, in place of those of the recording. */
  readonly otherScenarios?: readonly CompiledScenario[];
}

/** A project that gets the changes of a recording, one after another. */
export interface Player {
  readonly project: Project;
  /** Advances the clock to the time of a change, and makes the change. Returns the response to a request. */
  play(change: RecordedChange): Promise<Reply | undefined>;
  /** Advances the clock, which applies everything that is due until then. */
  advanceTo(at: string): Promise<void>;
  /** @throws the first internal error that occurred outside of requests */
  dispose(): void;
}

/** Creates the project in its initial state. */
export function createPlayer(plan: ReplayPlan): Player {
  const { recording, applied, contract, scenarios, otherScenarios } = plan;
  const { seed, strict, callbackEndpoint, serverScenarios, magicIds } = recording;
  const parts = createPlayCore([defaultKey], Date.parse(recording.begunAt), {
    ...applied,
    ...{ seed, strict, contract },
    endpoint: toEndpoint(callbackEndpoint, false),
    serverScenarios: otherScenarios ?? serverScenarios.flatMap((index) => scenarios[index] ?? []),
    magicIds: magicIds === null ? undefined : scenarios[magicIds],
  });
  const { projects } = parts;
  const project = projects.open(recording.project);
  const reply = createReplies(parts, recording.project, scenarios);

  async function advanceTo(at: string): Promise<void> {
    const to = Math.max(project.now(), Date.parse(at));
    await project.schedule.advance(() => ({ to, stopIdle: false }));
  }

  return {
    project,
    advanceTo,
    play: async (change) => {
      // The counts belong to the rules of the recording.
      if ('serverCounts' in change && change.serverCounts && !otherScenarios)
        restoreServerCounts(change.serverCounts, project.state.ruleCounts, projects.serverCounts);
      await advanceTo(change.at);
      if (change.kind === 'request') return reply(change);
      if (change.kind !== 'callback') applySetting(projects, project, plan, change);
      return undefined;
    },
    dispose: parts.dispose,
  };
}

/** The parts of a sandbox that only plays. `dispose` throws the first internal error outside of requests. */
type PlayCore = RequestHandlerDeps & Pick<Player, 'dispose'>;

type PlayOptions = Omit<CoreOptions, 'wall' | 'keys' | 'clock' | 'library' | 'sender' | 'reportError'>;

/** Creates a core with frozen clocks, which sends nothing: receivers take every callback. `keys`: texts of API keys. */
export function createPlayCore(keys: readonly string[], beganMs: number, options: PlayOptions): PlayCore {
  const wall = createReplayWall(beganMs);
  const bugs: unknown[] = [];
  const core = createCore({
    ...options,
    wall,
    keys: new KeyRing({ texts: keys, wall }),
    clock: { mode: 'frozen', nowMs: beganMs },
    library: new Library([]),
    sender: { send: () => Promise.resolve({ status: 204 }) },
    reportError: (_id, error) => bugs.push(error),
  });
  const dispose = (): void => {
    core.projects.dispose();
    if (bugs.length > 0) throw bugs[0];
  };
  return { ...core, dispose };
}

/** Returns the endpoint of a recording. The replay's sender also takes what went to a listener. */
function toEndpoint(url: string | null, disabled: boolean): Endpoint | undefined {
  if (url === null) return undefined;
  return { url: isListener(url) ? 'http://listener' : url, secret: defaultSecret, disabled };
}

/** Creates a wall clock whose time never changes, and whose timers fire at once. */
function createReplayWall(nowMs: number): WallClock {
  return {
    now: () => nowMs,
    elapsed: () => 0,
    after: (_ms, run) => {
      const immediate = timers.setImmediate(run);
      return () => timers.clearImmediate(immediate);
    },
  };
}

function applySetting(
  projects: ProjectRegistry,
  project: Project,
  { scenarios, otherScenarios }: ReplayPlan,
  change: Exclude<RecordedChange, RecordedRequest | RecordedCallback>,
): void {
  // Counts refer to the numbers of changes, so the numbers of a replay are those of the recording.
  project.nextChangeNumber();
  switch (change.kind) {
    case 'scenarios':
    case 'server-scenarios': {
      const activated = change.scenarios.flatMap((index) => scenarios[index] ?? []);
      const atMs = Date.parse(change.at);
      if (change.kind === 'scenarios') project.activate(activated, atMs, change.keeps);
      else if (!otherScenarios) projects.activateForAll(activated, () => atMs);
      return;
    }
    case 'callback-endpoint':
      project.state.endpoint = toEndpoint(change.url, change.disabled);
      return;
    case 'snapshot':
      project.restore(runAll(fromSnapshot(change.snapshot as Snapshot))(change.at), 0);
      return;
    case 'trigger':
      project.trigger(change, Date.parse(change.at));
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

/** Creates a function that applies a recorded request, and returns its response. */
function createReplies(
  parts: RequestHandlerDeps,
  project: string,
  scenarios: readonly CompiledScenario[],
): (recorded: RecordedRequest) => Promise<Reply> {
  const { contract, replies } = parts;
  const pipeline = createPipeline(parts);
  const toNotFound = createNotFound(contract.operations.values(), 'api');
  return async (recorded) => {
    const { method, url, headers, body = '', unread, full } = recorded.request;
    const raw = unread ? { problem: unread } : { text: body };
    const parsed = unread ? { problem: unread } : await parseJson(body);
    const request = { method, url, headers };
    const match = contract.match(method, url, headers);
    // Only another profile than that of the recording has no such request, or expects the project elsewhere.
    if (!match.found) return replies.problem(toNotFound(match, method, url), { request });
    if ('value' in parsed) addFromBody(match, parsed.value);
    if (!isNamed(project, match.params['projectId'])) return replies.problem(withoutProject, { request });
    const { secretTests = {}, rate = 1 } = recorded;
    const scenario = recorded.scenario === undefined ? undefined : scenarios[recorded.scenario];
    const read = { raw, parsed, scenario, recorded: { secretTests, rejection: full, rate } };
    return pipeline.applyRead(request, read, project);
  };
}

const withoutProject: Problem = {
  kind: 'invalid',
  message: 'the request does not name its project where the profile expects it',
};

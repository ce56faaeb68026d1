/** Creates a project without a server, with a test clock and a function as the receiver of callbacks. */
import { createCallbackFormat } from '../../src/callbacks/format.ts';
import type { DeliveryResult } from '../../src/callbacks/send.ts';
import { defaultSecret } from '../../src/callbacks/signature.ts';
import { createResponseRedaction } from '../../src/http/redact-response.ts';
import { shippedProfile } from '../../src/openapi/profile/profile.ts';
import { type OperationId, operations } from '../../src/operations/index.ts';
import { parseCommand } from '../../src/operations/parse-command.ts';
import type { ChangeTracker } from '../../src/project/change-recorder.ts';
import { type ExecutionResult, execute } from '../../src/project/commands/execute.ts';
import { createProject, type Project, type ProjectOptions } from '../../src/project/project.ts';
import type { ProjectState } from '../../src/project/state.ts';
import { emptyPlan, type Plan } from '../../src/scenarios/effects/effect.ts';
import { createTestWall, type TestWall } from './wall.ts';

export interface StandaloneProject {
  readonly world: Project;
  readonly wall: TestWall;
  /** Body of each attempt to send a callback. */
  readonly sent: string[];
  /** Applies a command, or accepts it if the operation is asynchronous. */
  ask(operation: OperationId, body: Record<string, unknown>, plan?: Partial<Plan>): ExecutionResult;
  /** Advances the frozen clock. */
  advance(ms: number): Promise<object>;
}

const day = 86_400_000;

/** Returns the default options of a project, but with a frozen clock. `more` overrides them. */
export function toSetting(wall: TestWall, more: Partial<ProjectOptions> = {}): ProjectOptions {
  return {
    seed: 'test',
    wall,
    sender: { send: () => Promise.resolve({ status: 204 }) },
    clock: { mode: 'frozen', nowMs: day },
    endpoint: undefined,
    rules: shippedProfile,
    strict: false,
    timeoutMs: 10_000,
    retriesMs: [5000, 30_000, 120_000, 600_000],
    concurrency: 1,
    redactResponse: createResponseRedaction(() => false),
    format: createCallbackFormat(shippedProfile.callbacks),
    ...more,
  };
}

/**
 * Creates a project. `answer` gets the callback's id and the number of previous attempts, and returns the receiver's
 * response; without it, the project has no callback endpoint.
 */
export function createStandaloneProject(
  more: Partial<ProjectOptions> = {},
  answer?: (callbackId: string, before: number) => DeliveryResult,
  data?: ProjectState,
  tracker?: ChangeTracker,
): StandaloneProject {
  const wall = createTestWall(day);
  const sent: string[] = [];
  const sender: ProjectOptions['sender'] = {
    send: async ({ headers, body }) => {
      sent.push(body);
      const id = headers['webhook-id'] ?? '';
      return answer?.(id, project.state.callbacks.get(id)?.attempts.length ?? 0) ?? { status: 204 };
    },
  };
  const endpoint = answer && { url: 'http://receiver.test/', secret: defaultSecret, disabled: false };
  const reportError = (error: unknown) => {
    throw error;
  };
  const events = {
    callback: () => undefined,
    serverCounts: () => new Map(),
    commandApplied: () => undefined,
    reportError,
  };
  const project = createProject(
    'p',
    toSetting(wall, { sender, endpoint, ...more }),
    events,
    data && { state: data },
    tracker,
  );
  return {
    world: project,
    wall,
    sent,
    ask: (operationId, body, plan) => {
      const operation = operations[operationId];
      return execute(project, {
        operationId,
        operation,
        mode: operation.mode,
        requestId: project.nextRequestId(),
        now: project.runDue(),
        ...parseCommand(operation, { projectId: 'p' }, body, new Map()),
        plan: { ...emptyPlan(), ...plan },
        text: '',
        processingMs: 200,
      });
    },
    advance: (ms) => project.schedule.advance(() => ({ to: project.now() + ms, stopIdle: false })),
  };
}

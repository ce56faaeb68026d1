/** Starts a sandbox for tests in this process, or connects to the one of `SANDBOX_URL`. */
import { readEnvironment } from '../../config/options.ts';
import { createWallClock } from '../../lib/time.ts';
import { ControlClient } from '../control-client.ts';
import { type FailureBody, runForEachFailure } from '../failures/for-each-failure.ts';
import type { FailureOptions, SurvivedFailure } from '../failures/types.ts';
import { isId, mistakeAt, named, show, toNamed, withChecks } from '../methods.ts';
import { createProjectId, createTestProject, type TestProject } from '../project/project.ts';
import { type SandboxOptions, toTexts } from './option-texts.ts';

/** A running sandbox. */
export interface TestSandbox {
  /** Base URL, without a trailing slash. */
  readonly url: string;
  /** API key that the sandbox accepts. */
  readonly apiKey: string;
  /** Returns the project with this id. Default: an unused project, so that tests do not affect each other. */
  project(id?: string): TestProject;
  /**
   * Runs a test body once under each failure of an operation, in an unused project that has the failure, and resets the
   * project. Other projects are not affected. Returns the failures, and whether each happened.
   * @throws SandboxError that lists the message of every case that failed; its `cause` is the error of the first
   */
  forEachFailure(options: FailureOptions, body: FailureBody): Promise<readonly SurvivedFailure[]>;
  /** Stops the sandbox if `startSandbox` started it, and ends all pending waits. Calling it again has no effect. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a sandbox in this process on a free port of this machine. If `SANDBOX_URL` is set, connects to that sandbox
 * instead, with `SANDBOX_API_KEY` and `SANDBOX_ADMIN_TOKEN`. Ignores all other environment variables.
 * @throws SandboxError that lists every mistake in the options, or if it can't connect to the sandbox of `SANDBOX_URL`
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<TestSandbox> {
  const environment = readEnvironment();
  const wall = createWallClock();
  const sandbox = await named('startSandbox', [options], async () => {
    const texts = toTexts(options);
    return environment['SANDBOX_URL'] === undefined
      ? (await import('./own-sandbox.ts')).startOwn(texts, wall)
      : (await import('./attach.ts')).attach(texts, environment);
  });
  const { url, apiKey } = sandbox;
  const client = new ControlClient(sandbox);
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    client.close();
    closed ??= sandbox.end();
    return closed;
  };
  const project = (id = createProjectId()): TestProject => {
    if (!isId(id)) {
      throw toNamed('project', mistakeAt('', `expected an id, or no argument for a new one, got ${show(id)}`));
    }
    return createTestProject({ client, wall, id, url, apiKey });
  };
  return {
    url,
    apiKey,
    project,
    ...withChecks<Pick<TestSandbox, 'forEachFailure'>>('', {
      forEachFailure: (...given) => runForEachFailure({ client, project }, ...given),
    }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Does what `sandbox.forEachFailure` does, with a sandbox of its own or the one of `SANDBOX_URL`. */
export async function forEachFailure(options: FailureOptions, body: FailureBody): Promise<readonly SurvivedFailure[]> {
  const sandbox = await startSandbox();
  try {
    return await sandbox.forEachFailure(options, body);
  } finally {
    await sandbox.close();
  }
}

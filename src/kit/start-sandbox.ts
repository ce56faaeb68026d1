/** A sandbox for tests: one of this process, or the one that `SANDBOX_URL` names. */
import { randomUUID } from 'node:crypto';
import { createWallClock } from '../base/time.ts';
import { readEnvironment } from '../options.ts';
import { createControlClient } from './control-client.ts';
import { toTexts } from './option-texts.ts';
import { createProject, type Project } from './project.ts';
import { createSandboxError } from './sandbox-error.ts';
import type { SandboxOptions } from './sandbox-options.ts';

/** A sandbox that can be asked. */
export interface Sandbox {
  /** Its base address, without a trailing slash. */
  readonly url: string;
  /** A key that it takes. */
  readonly apiKey: string;
  /** A project of it. Without an id it is one that nobody has used, so that tests can't see each other. */
  project(id?: string): Project;
  /** Ends it, where it was started here, and all that is still waited for. Twice is as once. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a sandbox in this process on a free port of this machine; where `SANDBOX_URL` is set, attaches to that one with
 * `SANDBOX_API_KEY` and `SANDBOX_ADMIN_TOKEN`. No other variable is looked at.
 * @throws SandboxError with all that is wrong with the options, or where there is none to attach to
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const texts = toTexts(options);
  const environment = readEnvironment();
  const wall = createWallClock();
  const reached =
    environment['SANDBOX_URL'] === undefined
      ? await (await import('./own-sandbox.ts')).startOwn(texts, wall)
      : await (await import('./attach.ts')).attach(texts, environment);
  const { url, apiKey } = reached;
  const client = createControlClient(reached);
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    client.close();
    closed ??= reached.end();
    return closed;
  };
  return {
    url,
    apiKey,
    project: (id = `test-${randomUUID()}`) => {
      if (typeof id !== 'string' || id === '') {
        throw createSandboxError(`project: expected an id, or nothing for an unused one, got ${JSON.stringify(id)}`);
      }
      return createProject({ client, wall, id, url, apiKey });
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

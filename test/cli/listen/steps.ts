/** Steps of the tests of `listen`: a sandbox with a project for each test, a local receiver, and failures. */
import { beforeEach } from 'vitest';
import type { AttemptNotice } from '../../../src/cli/listen/notice.ts';
import { type Receiver, useReceiver } from '../../harness/receiver.ts';
import { freshProject, type TestSandbox, useSandbox } from '../../harness/sandbox.ts';

interface ListenSteps {
  readonly sandbox: TestSandbox;
  readonly receiver: Receiver;
  /** The project of this test. */
  project(): string;
  /** Imports an entry that fails, which creates a callback. */
  failOnce(id?: string, of?: string): Promise<void>;
  /** Ids of the first failure of each received callback. */
  receivedIds(): readonly string[];
}

export function useListenSteps(): ListenSteps {
  const sandbox = useSandbox();
  const receiver = useReceiver();
  let project = '';
  beforeEach(() => {
    project = freshProject();
  });

  async function failOnce(id = 'FAIL-1', of = project): Promise<void> {
    await sandbox.freeze(of);
    await sandbox.api('POST', `/async/projects/${of}/jobs`, { jobs: [{ id }] });
    await sandbox.advance(of);
  }

  const receivedIds = () => receiver.received.map(({ body }) => JSON.parse(body).data.failed[0].id as string);

  return { sandbox, receiver, project: () => project, failOnce, receivedIds };
}

/** Returns the id of the first failure of each attempt. */
export const failedIds = (attempts: readonly AttemptNotice[]): readonly (string | undefined)[] =>
  attempts.map(({ failed }) => failed[0]?.id);

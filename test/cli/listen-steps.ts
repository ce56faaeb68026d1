/** Steps of the tests of `listen`: a sandbox with a project for each test, a local receiver, failures that are told of. */
import { beforeEach } from 'vitest';
import type { AttemptNotice } from '../../src/cli/listen/notice.ts';
import { type Receiver, useReceiver } from '../harness/receiver.ts';
import { freshProject, type TestSandbox, useSandbox } from '../harness/sandbox.ts';

interface ListenSteps {
  readonly sandbox: TestSandbox;
  readonly receiver: Receiver;
  /** The project of this test. */
  project(): string;
  /** An import of which one entry fails, and the callback that tells of it lies in the inbox. */
  failOnce(id?: string, of?: string): Promise<void>;
  /** The entries that the receiver was told of, a callback each. */
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

/** The entries that attempts told of. */
export const failedIds = (attempts: readonly AttemptNotice[]): readonly (string | undefined)[] =>
  attempts.map(({ failed }) => failed[0]?.id);

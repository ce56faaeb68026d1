/** A client that is the listener of a project, and answers each attempt as a test asks. */
import { onTestFinished } from 'vitest';
import { readEvents } from '../../harness/event-reader.ts';

/** An `attempt` event. */
export interface Attempted {
  readonly id: string;
  readonly callbackId: string;
  readonly number: number;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly deadline: string;
}

export interface TestListener {
  readonly lastId: () => string | undefined;
  /** Waits for the next attempt. */
  next(): Promise<Attempted>;
  /** Waits for the `gone` event, which is the last one. */
  gone(): Promise<unknown>;
  /** Answers an attempt, and returns the status and the message of the response. */
  answer(attempt: Pick<Attempted, 'id'>, answer: object | number): Promise<[status: number, message?: string]>;
  /** Answers the next attempts, one after another. */
  answerNext(...answers: readonly (object | number)[]): Promise<readonly Attempted[]>;
  leave(): void;
}

/** A sandbox with its control API. */
interface Target {
  readonly url: () => string;
  control(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): PromiseLike<{ readonly status: number; readonly body: { readonly message: string } }>;
}

interface Connecting {
  readonly query?: string;
  readonly lastId?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

const listenerPath = (project: string, query = ''): string => `/projects/${project}/listener${query}`;

/** Connects a listener, which leaves at the end of the test. */
export async function startListening(
  sandbox: Target,
  project: string,
  { query, lastId, headers = {} }: Connecting = {},
): Promise<TestListener> {
  const reader = await readEvents(`${sandbox.url()}/_sandbox${listenerPath(project, query)}`, lastId, headers);
  onTestFinished(reader.leave);
  const self: TestListener = {
    lastId: reader.lastId,
    leave: reader.leave,
    next: async () => {
      const [event] = await reader.take(1);
      if (event?.kind !== 'attempt') throw new Error(`expected an attempt, got ${JSON.stringify(event)}`);
      return event.data as unknown as Attempted;
    },
    gone: async () => {
      const [event] = await reader.ended;
      return event?.kind === 'gone' ? event.data : event;
    },
    answer: async ({ id }, answer) => {
      const body = typeof answer === 'number' ? { status: answer } : answer;
      const path = `${listenerPath(project)}/attempts/${encodeURIComponent(id)}`;
      const { status, body: problem } = await sandbox.control('PUT', path, body, { ...headers });
      return status === 204 ? [status] : [status, problem.message];
    },
    answerNext: async (...answers) => {
      const attempts: Attempted[] = [];
      for (const answer of answers) {
        const attempt = await self.next();
        attempts.push(attempt);
        await self.answer(attempt, answer);
      }
      return attempts;
    },
  };
  return self;
}

/** Receives a project's callbacks over a connection to the sandbox: a receiver without a port of its own. */
import { toProjectPath } from '../../client/client.ts';
import { ListenerClient, type ListenerEnd } from '../../client/listener.ts';
import type { WallClock } from '../../lib/time.ts';
import { sleep } from '../../lib/timers.ts';
import type { components } from '../../openapi/control.gen.ts';
import type { ControlClient } from '../control-client.ts';
import { SandboxError } from '../sandbox-error.ts';
import {
  type AnswerChoice,
  type CallbackReceiver,
  type ReceiverOptions,
  Responder,
  untilAnswered,
} from './callback-receiver.ts';

/** The listener of a project. It receives, verifies and stores callbacks as a receiver does. */
export type CallbackListener = Omit<CallbackReceiver, 'url'>;

/** Options of a listener beside those of a receiver. */
export interface ListenOptions extends ReceiverOptions {
  /**
   * First receives again what was attempted or stored in the inbox: after this time (`10m`), from the callback with this
   * id on, or from the `first`.
   */
  readonly since?: string;
  /** Whether to replace the project's listener, whose waits then fail. Default: false. */
  readonly takeover?: boolean;
}

interface Source {
  readonly client: ControlClient;
  readonly wall: WallClock;
  readonly project: string;
}

/** How often `close` asks whether the sandbox has noticed, and the pause before each time, in milliseconds. */
const maxAsks = 200;
const pauseMs = 10;

/** Connects the listener of a project. @throws SandboxError if the project has one, or if an option is not valid */
export async function listenTo(
  { client, wall, project }: Source,
  handler?: AnswerChoice,
  options: ListenOptions = {},
): Promise<CallbackListener> {
  const { since, takeover = false } = options;
  const responder = await Responder.create(options, handler);
  const path = `${toProjectPath(project)}/callback-endpoint`;
  const name = `the listener of project ${project}`;
  const stopping = new AbortController();
  const forget = client.onClose(() => stopping.abort());
  const open = new Set<string>();
  let id = '';
  let lost = '';
  const { listening } = await new Promise<{ readonly listening: Promise<void> }>((resolve, reject) => {
    const running = new ListenerClient(client.target, {
      ...{ project, wall, since, takeover },
      signal: stopping.signal,
      handle: ({ id: attempt, headers, body }) => {
        open.add(attempt);
        return responder.respond({ headers, raw: Buffer.from(body, 'base64').toString() });
      },
      answered: (attempt) => open.delete(attempt.id),
      connected: (connection) => {
        id = connection;
        lost = '';
        resolve({ listening: ending });
      },
      // Later, it waits for a sandbox that comes back.
      waiting: (message) => {
        lost = `, which waits for the sandbox: ${message}`;
        if (id !== '') return;
        reject(client.toError({ ok: false, reason: 'unreachable', message }));
        stopping.abort();
      },
    });
    const ending = running.run().then((end) => {
      forget();
      const error = toError(end, name, client);
      responder.queue.end(error);
      reject(error);
    });
  });

  async function end(): Promise<void> {
    await untilAnswered(open);
    stopping.abort();
    await listening;
    type Endpoint = components['schemas']['CallbackEndpoint'];
    const isShown = async () => (await client.ask<Endpoint>('GET', path)).listener?.since === id;
    // The sandbox notices a moment later; until then it would refuse the next listener.
    for (let asks = 0; asks < maxAsks && (await isShown().catch(() => false)); asks += 1) await sleep(pauseMs);
  }

  return responder.members(() => name + lost, end);
}

function toError(end: ListenerEnd, name: string, client: ControlClient): Error {
  switch (end.kind) {
    case 'refused':
      return client.toError(end.failure);
    case 'taken over':
      return new SandboxError(`${name} has ended: another one has taken over`, { code: 'closed' });
    case 'reset':
      return new SandboxError(`${name} has ended with a reset of the project: call listen() again`, { code: 'closed' });
    case 'closed':
      return new SandboxError(`${name} was closed`, { code: 'closed' });
    default:
      return end satisfies never;
  }
}

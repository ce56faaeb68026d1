/** The control API's view of callbacks: lists that can wait, redelivery, and where a project's callbacks go. */
import { parseDuration } from '../../base/duration.ts';
import type { Callback, Endpoint } from '../../callbacks/callback.ts';
import { defaultSecret, parseSecret } from '../../callbacks/signature.ts';
import type { components } from '../../contract/control.gen.ts';
import { waitUntil } from '../../journal/await.ts';
import { toPage } from '../page.ts';
import {
  type ControlHandlers,
  type ControlParts,
  type ControlRequest,
  gone,
  ok,
  projectOf,
  refuse,
} from './handler.ts';

type CallbackIds =
  | 'listCallbacks'
  | 'getCallback'
  | 'redeliverCallback'
  | 'getCallbackEndpoint'
  | 'putCallbackEndpoint'
  | 'deleteCallbackEndpoint';

type Shown = components['schemas']['Callback'];

/** A callback as it is shown. */
function show(callback: Callback): Shown {
  const { id, type, state, requestId, operation, body, dueAt, attempts } = callback;
  return {
    id,
    type,
    state,
    requestId,
    operation,
    body: { ...body },
    dueAt,
    attempts: attempts.map((attempt) => ({ ...attempt, headers: { ...attempt.headers } })),
  };
}

/** An endpoint as it is shown: its secret never is. */
export function showEndpoint(endpoint: Endpoint | undefined): { url: string | null; disabled: boolean } {
  return { url: endpoint?.url ?? null, disabled: endpoint?.disabled ?? false };
}

async function list(parts: ControlParts, request: ControlRequest) {
  const { query } = request;
  const project = projectOf(request);
  const all = () =>
    [...(parts.worlds.find(project)?.data.callbacks.values() ?? [])].map((callback, index) => ({ callback, index }));
  let after = -1;
  if (query['since'] !== undefined) {
    after = all().findIndex(({ callback }) => callback.id === query['since']);
    if (after < 0) return refuse('invalid', 'expected the id of a callback of this project', 'query:since');
  }
  const fitting = () =>
    all().filter(
      ({ callback, index }) =>
        index > after &&
        (query['state'] === undefined || callback.state === query['state']) &&
        (query['type'] === undefined || callback.type === query['type']),
    );
  const ms = query['await'] === undefined ? undefined : (parseDuration(String(query['await'])) ?? 0);
  const least = Number(query['min'] ?? 1);
  const changes = {
    subscribe: (listener: () => void) => parts.worlds.onCallback((name) => name === project && listener()),
  };
  const resets = {
    subscribe: (listener: () => void) => parts.worlds.onReset(project, listener),
  };
  const satisfied =
    ms !== undefined && (await waitUntil(() => fitting().length >= least, changes, resets, ms, parts.wall));
  const page = toPage(
    fitting(),
    query,
    ({ index }) => index,
    ({ callback }) => show(callback),
  );
  if (!page) return refuse('invalid', 'expected the `next` of another page of this list', 'query:cursor');
  return ok(ms === undefined ? page : { ...page, satisfied });
}

function find(parts: ControlParts, request: ControlRequest): Callback | undefined {
  return parts.worlds.find(projectOf(request))?.data.callbacks.get(request.params['id'] ?? '');
}

const unknown = (request: ControlRequest) => refuse('notFound', `this project has no callback ${request.params['id']}`);

export const callbackHandlers: ControlHandlers<CallbackIds> = {
  listCallbacks: list,

  getCallback: (parts, request) => {
    const callback = find(parts, request);
    return callback ? ok(show(callback)) : unknown(request);
  },

  redeliverCallback: async (parts, request) => {
    const callback = find(parts, request);
    if (!callback) return unknown(request);
    const attempt = await parts.worlds.find(projectOf(request))?.outbox.redeliver(callback);
    return attempt
      ? ok({ ...attempt, headers: { ...attempt.headers } })
      : refuse('conflict', 'this project has no callback endpoint to send to: PUT one first');
  },

  getCallbackEndpoint: (parts, request) => {
    const world = parts.worlds.find(projectOf(request));
    return ok(showEndpoint(world ? world.data.endpoint : parts.defaultEndpoint));
  },

  putCallbackEndpoint: (parts, request) => {
    const { url, secret, disabled = false } = request.body as { url: string; secret?: string; disabled?: boolean };
    const refusal = parts.refuseUrl(url);
    if (refusal) return refuse('invalid', refusal, '/url');
    const parsed = parseSecret(secret ?? defaultSecret);
    if (!parsed.ok) return refuse('invalid', parsed.message, '/secret');
    const world = parts.worlds.open(projectOf(request));
    world.data.endpoint = { url, secret: parsed.secret, disabled };
    return ok(showEndpoint(world.data.endpoint));
  },

  deleteCallbackEndpoint: (parts, request) => {
    const { defaultEndpoint } = parts;
    parts.worlds.open(projectOf(request)).data.endpoint = defaultEndpoint && { ...defaultEndpoint };
    return gone;
  },
};

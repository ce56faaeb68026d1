/** The control API's view of callbacks: lists that can wait, redelivery, and where a project's callbacks go. */
import type { Callback, Endpoint } from '../../callbacks/callback.ts';
import { defaultSecret, parseSecret } from '../../callbacks/signature.ts';
import type { components } from '../../contract/control.gen.ts';
import { toPage } from '../page.ts';
import { redactEndpoint } from '../redact.ts';
import { awaitEnough } from './awaiting.ts';
import {
  badCursor,
  type ControlHandlers,
  type ControlParts,
  type ControlRequest,
  gone,
  noteSetting,
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
  | 'patchCallbackEndpoint'
  | 'deleteCallbackEndpoint';

/** Each attempt is kept, with its bytes. */
const mostAttempts = 1000;

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
  const all = () => [...(parts.worlds.find(project)?.data.callbacks.values() ?? [])];
  let after = -1;
  if (query['since'] !== undefined) {
    after = all().find(({ id }) => id === query['since'])?.change ?? -1;
    if (after < 0) return refuse('invalid', 'expected the id of a callback of this project', 'query:since');
  }
  const fitting = () =>
    all().filter(
      ({ change, state, type }) =>
        change > after &&
        (query['state'] === undefined || state === query['state']) &&
        (query['type'] === undefined || type === query['type']),
    );
  const changes = {
    subscribe: (listener: () => void) => parts.worlds.onCallback((name) => name === project && listener()),
  };
  const waited = await awaitEnough(parts, request, project, () => fitting().length, changes);
  const page = toPage(fitting(), query, ({ change }) => change, show);
  return page ? ok({ ...page, ...waited }) : badCursor;
}

function find(parts: ControlParts, request: ControlRequest): Callback | undefined {
  return parts.worlds.find(projectOf(request))?.data.callbacks.get(request.params['id'] ?? '');
}

const unknown = (request: ControlRequest) => refuse('notFound', `this project has no callback ${request.params['id']}`);

type EndpointChange = components['schemas']['CallbackEndpointPatch'];

/** Where the project's callbacks go, as it was set or as the options say. */
function endpointOf({ worlds, defaultEndpoint }: ControlParts, request: ControlRequest): Endpoint | undefined {
  const world = worlds.find(projectOf(request));
  return world ? world.data.endpoint : defaultEndpoint;
}

/** Takes the place of the project's endpoint, where its address and its secret may be used. */
function setEndpoint(parts: ControlParts, request: ControlRequest, { url, secret, disabled }: Endpoint) {
  const refusal = parts.refuseUrl(url);
  if (refusal) return refuse('invalid', refusal, '/url');
  const parsed = parseSecret(secret);
  if (!parsed.ok) return refuse('invalid', parsed.message, '/secret');
  const world = parts.worlds.open(projectOf(request));
  noteSetting(parts, world, { kind: 'callback-endpoint', url: redactEndpoint(url), disabled });
  world.data.endpoint = { url, secret: parsed.secret, disabled };
  return ok(showEndpoint(world.data.endpoint));
}

export const callbackHandlers: ControlHandlers<CallbackIds> = {
  listCallbacks: list,

  getCallback: (parts, request) => {
    const callback = find(parts, request);
    return callback ? ok(show(callback)) : unknown(request);
  },

  redeliverCallback: async (parts, request) => {
    const callback = find(parts, request);
    if (!callback) return unknown(request);
    if (callback.attempts.length >= mostAttempts) {
      const message = `this callback was sent ${mostAttempts.toLocaleString('en')} times, and is sent no more`;
      return refuse('conflict', message);
    }
    const world = parts.worlds.find(projectOf(request));
    if (world) noteSetting(parts, world, { kind: 'redelivery', callback: callback.id });
    const attempt = await world?.outbox.redeliver(callback);
    return attempt
      ? ok({ ...attempt, headers: { ...attempt.headers } })
      : refuse('conflict', 'this project has no callback endpoint to send to: PUT one first');
  },

  getCallbackEndpoint: (parts, request) => ok(showEndpoint(endpointOf(parts, request))),

  putCallbackEndpoint: (parts, request) => {
    const { url, secret = defaultSecret, disabled = false } = request.body as EndpointChange & { url: string };
    return setEndpoint(parts, request, { url, secret, disabled });
  },

  patchCallbackEndpoint: (parts, request) => {
    const change = request.body as EndpointChange;
    const current = endpointOf(parts, request);
    const { url = current?.url, secret = current?.secret ?? defaultSecret } = change;
    if (url === undefined) return refuse('conflict', 'this project has no callback endpoint: name its `url`', '/url');
    return setEndpoint(parts, request, { url, secret, disabled: change.disabled ?? current?.disabled ?? false });
  },

  deleteCallbackEndpoint: (parts, request) => {
    const { defaultEndpoint } = parts;
    const world = parts.worlds.open(projectOf(request));
    const { url = null, disabled = false } = defaultEndpoint ?? {};
    noteSetting(parts, world, { kind: 'callback-endpoint', url: url && redactEndpoint(url), disabled });
    world.data.endpoint = defaultEndpoint && { ...defaultEndpoint };
    return gone;
  },
};

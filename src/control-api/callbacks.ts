/** Control API handlers for callbacks: lists, redelivery, and a project's callback endpoint. */
import {
  type Callback,
  type Endpoint,
  type FailedEntry,
  sampleEntry,
  type Trigger,
  toFailureType,
} from '../callbacks/callback.ts';
import { isListener } from '../callbacks/listener.ts';
import { defaultSecret, parseSecret } from '../callbacks/signature.ts';
import { redactEndpoint } from '../http/redact.ts';
import { didYouMean } from '../lib/nearest.ts';
import type { Problem } from '../lib/problem.ts';
import type { components } from '../openapi/control.gen.ts';
import { quote } from '../openapi/explain.ts';
import { type OperationId, operationIds, operations } from '../operations/index.ts';
import type { Growth } from '../usage/admission.ts';
import { attemptBytes, responseBytes } from '../usage/project-usage.ts';
import { explainCallback } from './callbacks/explain.ts';
import { defineCallbacks } from './callbacks/list.ts';
import { mayReadResponses, showAttempt, showCallback, showEndpoint } from './callbacks/show.ts';
import {
  type ControlParts,
  type ControlRequest,
  noContent,
  ok,
  projectOf,
  recordSetting,
  reject,
  type SomeHandlers,
} from './handler.ts';
import { answerList } from './lists/answer.ts';
import { showClock } from './projects.ts';

/** Maximum number of attempts per callback, because each attempt is stored with its body. */
export const maxAttempts = 1000;

function find(parts: ControlParts, request: ControlRequest): Callback | undefined {
  return parts.projects.find(projectOf(request))?.state.callbacks.get(request.params['id'] ?? '');
}

const toUnknown = (request: ControlRequest) =>
  reject('notFound', `this project has no callback ${request.params['id']}`);

type EndpointChange = components['schemas']['CallbackEndpointPatch'];

/** Returns the growth by attempts with this body. Each is stored with its body and the response. */
export function toGrowth(body: object, attempts: number, pending: number): Growth {
  const bytes = attempts * (attemptBytes + responseBytes + JSON.stringify(body).length);
  return { records: () => 0, maxRecords: 0, bytes, pending };
}

type TriggerBody = components['schemas']['CallbackTrigger'];

/** Returns the trigger that a request asks for, with its defaults, or the problem. */
function toTrigger(
  { callbackFormat, modeOf }: ControlParts,
  { type, failed = [sampleEntry], operation, ...others }: TriggerBody,
): Trigger | { readonly problem: Problem } {
  if (callbackFormat.perEntry && failed.length > 1)
    return reject('invalid', 'the profile sends a callback for each entry: expected at most one', '/failed');
  const reasoned = failed.map(({ id, reason = sampleEntry.reason }): FailedEntry => ({ id, reason }));
  const fitting = operationIds.filter((id) => operations[id].callbackType === toFailureType(type));
  const [usual] = fitting.filter((id) => modeOf(id).mode === 'async');
  const named = operation ?? usual ?? fitting[0];
  if (fitting.some((id) => id === named)) return { ...others, type, failed: reasoned, operation: named as OperationId };
  const isKnown = operationIds.some((id) => id === named);
  const expected = isKnown ? `an operation with callbacks of this type: ${fitting.join(', ')}` : 'an operationId';
  const suggestion = isKnown ? '' : didYouMean(String(named), operationIds);
  return reject('invalid', `expected ${expected}; got ${quote(String(named))}${suggestion}`, '/operation');
}

/** Returns the endpoint of a project's callbacks: its own, or the default from the options. */
function endpointOf({ projects, defaultEndpoint }: ControlParts, request: ControlRequest): Endpoint | undefined {
  const project = projects.find(projectOf(request));
  return project ? project.state.endpoint : defaultEndpoint;
}

/** Shows one callback, with the explanation of its outcome. */
function showExplained(parts: ControlParts, request: ControlRequest, callback: Callback) {
  const project = projectOf(request);
  const shown = showCallback(parts, request.caller, callback);
  const explanation = explainCallback(callback, {
    entry: parts.journal.find(project, callback.requestId),
    endpoint: showEndpoint(parts.projects.find(project), parts),
    clock: showClock(parts, parts.projects.find(project)),
    payload: shown.body,
  });
  return { ...shown, explanation };
}

/** Replaces a project's endpoint, if its URL and secret are allowed. */
function setEndpoint(parts: ControlParts, request: ControlRequest, { url, secret, disabled }: Endpoint) {
  const rejection = isListener(url) ? undefined : parts.checkCallbackUrl(url);
  if (rejection) return reject('invalid', rejection, '/url');
  const parsed = parseSecret(secret, parts.callbackFormat.signature.secrets);
  if (!parsed.ok) return reject('invalid', parsed.message, '/secret');
  const project = parts.projects.open(projectOf(request));
  recordSetting(parts, project, { kind: 'callback-endpoint', url: redactEndpoint(url), disabled });
  project.state.endpoint = { url, secret: parsed.secret, disabled };
  project.listener.endpointChanged();
  return ok(showEndpoint(project, parts));
}

export const callbackHandlers: SomeHandlers = {
  listCallbacks: (parts, request) => answerList(parts, request, defineCallbacks(parts, request)),

  getCallback: (parts, request) => {
    const callback = find(parts, request);
    return callback ? ok(showExplained(parts, request, callback)) : toUnknown(request);
  },

  triggerCallback: (parts, request) => {
    const trigger = toTrigger(parts, request.body as TriggerBody);
    if ('problem' in trigger) return trigger;
    const project = parts.projects.open(projectOf(request));
    const { copies = 1 } = trigger;
    const full = parts.admission.admit(project, toGrowth(trigger, copies, copies), request.caller.key);
    if (full) return { problem: full };
    const atMs = recordSetting(parts, project, { kind: 'trigger', ...trigger });
    return { status: 201, body: showCallback(parts, request.caller, project.trigger(trigger, atMs)) };
  },

  redeliverCallback: async (parts, request) => {
    const callback = find(parts, request);
    if (!callback) return toUnknown(request);
    const project = parts.projects.find(projectOf(request));
    if (project && project.countAttempts(callback) >= maxAttempts) {
      const message = `this callback was sent ${maxAttempts.toLocaleString('en')} times, which is the maximum`;
      return reject('conflict', message);
    }
    const full = project && parts.admission.admit(project, toGrowth(callback.body, 1, 0), request.caller.key);
    if (full) return { problem: full };
    if (project) recordSetting(parts, project, { kind: 'redelivery', callback: callback.id });
    const attempt = await project?.redeliver(callback);
    return attempt
      ? ok(showAttempt(attempt, mayReadResponses(parts, request.caller)))
      : reject(
          'conflict',
          'this project has neither a callback URL nor a listener: set one, or connect one with listen',
        );
  },

  getCallbackEndpoint: (parts, request) => ok(showEndpoint(parts.projects.find(projectOf(request)), parts)),

  putCallbackEndpoint: (parts, request) => {
    const { url, secret = defaultSecret, disabled = false } = request.body as EndpointChange & { url: string };
    return setEndpoint(parts, request, { url, secret, disabled });
  },

  patchCallbackEndpoint: (parts, request) => {
    const change = request.body as EndpointChange;
    const current = endpointOf(parts, request);
    // Without a URL of its own, a project may have a listener, which a 410 has disabled.
    const { url = current?.url, secret = current?.secret ?? defaultSecret } = change;
    if (url === undefined)
      return reject('conflict', 'this project has neither a callback URL nor a listener yet: set `url`', '/url');
    return setEndpoint(parts, request, { url, secret, disabled: change.disabled ?? current?.disabled ?? false });
  },

  deleteCallbackEndpoint: (parts, request) => {
    const { defaultEndpoint } = parts;
    const project = parts.projects.open(projectOf(request));
    const { url = null, disabled = false } = defaultEndpoint ?? {};
    recordSetting(parts, project, { kind: 'callback-endpoint', url: url && redactEndpoint(url), disabled });
    project.state.endpoint = defaultEndpoint && { ...defaultEndpoint };
    project.listener.endpointChanged();
    return noContent;
  },
};

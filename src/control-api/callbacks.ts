/** Control API handlers for callbacks: lists, redelivery, and a project's callback endpoint. */
import { type Endpoint, type FailedEntry, sampleEntry, type Trigger, toFailureType } from '../callbacks/callback.ts';
import { isListener } from '../callbacks/listener.ts';
import { defaultSecret, parseSecret } from '../callbacks/signature.ts';
import { redactEndpoint } from '../http/redact.ts';
import { didYouMean } from '../lib/nearest.ts';
import { quote } from '../openapi/explain.ts';
import { type OperationId, operationIds, operations } from '../operations/index.ts';
import type { Project } from '../project/project.ts';
import type { Growth } from '../usage/admission.ts';
import { attemptBytes, responseBytes } from '../usage/size.ts';
import { explainCallback } from './callbacks/explain.ts';
import { defineCallbacks } from './callbacks/list.ts';
import { mayReadResponses, showAttempt, showCallback, showEndpoint } from './callbacks/show.ts';
import {
  type ControlParts,
  type ControlRequest,
  noContent,
  type OperationRequest,
  ok,
  projectOf,
  type Rejection,
  recordSetting,
  reject,
  type SomeHandlers,
  usedBy,
} from './handler.ts';
import { answerList } from './lists/answer.ts';
import { showClock } from './projects.ts';

/** Maximum number of attempts per callback, because each attempt is stored with its body. */
export const maxAttempts = 1000;

const toUnknown = (id: string) => reject('notFound', `this project has no callback ${id}`);

/** Returns the growth by attempts with this body. Each is stored with its body and the response. */
export function toGrowth(body: object, attempts: number, pending: number): Growth {
  const bytes = attempts * (attemptBytes + responseBytes + JSON.stringify(body).length);
  return { records: () => 0, maxRecords: 0, bytes, pending };
}

/** Returns the trigger that a request asks for, with its defaults, or the problem. */
function toTrigger(
  { callbackFormat, modeOf }: ControlParts,
  { type, failed = [sampleEntry], operation, ...others }: OperationRequest<'triggerCallback'>['body'],
): Trigger | Rejection {
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

/** Replaces a project's endpoint, if its URL and secret are allowed. */
function setEndpoint(parts: ControlParts, request: ControlRequest, { url, secret, disabled }: Endpoint) {
  const rejection = isListener(url) ? undefined : parts.checkCallbackUrl(url);
  if (rejection) return reject('invalid', rejection, '/url');
  const parsed = parseSecret(secret, parts.callbackFormat.signature.secrets);
  if (!parsed.ok) return reject('invalid', parsed.message, '/secret');
  const project = parts.projects.open(projectOf(request));
  changeEndpoint(parts, project, { url, secret: parsed.secret, disabled });
  return ok(showEndpoint(project, parts));
}

function changeEndpoint(parts: ControlParts, project: Project, endpoint: Endpoint | undefined): void {
  const { url = null, disabled = false } = endpoint ?? {};
  recordSetting(parts, project, { kind: 'callback-endpoint', url: url && redactEndpoint(url), disabled });
  project.state.endpoint = endpoint && { ...endpoint };
  project.deliveries.listener.endpointChanged(endpoint);
}

const nowhere = 'this project has neither a callback URL nor a listener: set one, or connect one with listen';

export const callbackHandlers: SomeHandlers = {
  listCallbacks: (parts, request) => answerList(parts, request, defineCallbacks(parts, request)),

  getCallback: (parts, { params, caller }, project) => {
    const callback = project?.state.callbacks.get(params.id);
    if (!callback) return toUnknown(params.id);
    const shown = showCallback(parts, caller, callback);
    const explanation = explainCallback(callback, {
      entry: parts.journal.find(params.projectId, callback.requestId),
      endpoint: showEndpoint(project, parts),
      clock: showClock(parts, project),
      payload: shown.body,
    });
    return ok({ ...shown, explanation });
  },

  triggerCallback: (parts, request) => {
    const trigger = toTrigger(parts, request.body);
    if ('problem' in trigger) return trigger;
    const { copies = 1 } = trigger;
    const full = parts.admission.admit(usedBy(parts, request), toGrowth(trigger, copies, copies), request.caller.key);
    if (full) return { problem: full };
    const project = parts.projects.open(request.params.projectId);
    const atMs = recordSetting(parts, project, { kind: 'trigger', ...trigger });
    return { status: 201, body: showCallback(parts, request.caller, project.trigger(trigger, atMs)) };
  },

  redeliverCallback: async (parts, { params, caller }, project) => {
    const callback = project?.state.callbacks.get(params.id);
    if (!project || !callback) return toUnknown(params.id);
    if (project.deliveries.count(callback) >= maxAttempts) {
      const message = `this callback was sent ${maxAttempts.toLocaleString('en')} times, which is the maximum`;
      return reject('conflict', message);
    }
    const full = parts.admission.admit(project, toGrowth(callback.body, 1, 0), caller.key);
    if (full) return { problem: full };
    // A refused one changes nothing.
    if (project.deliveries.hasEndpoint()) recordSetting(parts, project, { kind: 'redelivery', callback: callback.id });
    const attempt = await project.deliveries.redeliver(callback);
    return attempt ? ok(showAttempt(attempt, mayReadResponses(parts, caller))) : reject('conflict', nowhere);
  },

  getCallbackEndpoint: (parts, _request, project) => ok(showEndpoint(project, parts)),

  putCallbackEndpoint: (parts, request) => {
    const { url, secret = defaultSecret, disabled = false } = request.body;
    return setEndpoint(parts, request, { url, secret, disabled });
  },

  patchCallbackEndpoint: (parts, request, project) => {
    const current = project ? project.state.endpoint : parts.defaultEndpoint;
    // Without a URL of its own, a project may have a listener, which a 410 has disabled.
    const { url = current?.url, secret = current?.secret ?? defaultSecret, disabled } = request.body;
    if (url === undefined)
      return reject('conflict', 'this project has neither a callback URL nor a listener yet: set `url`', '/url');
    return setEndpoint(parts, request, { url, secret, disabled: disabled ?? current?.disabled ?? false });
  },

  deleteCallbackEndpoint: (parts, _request, project) => {
    if (project) changeEndpoint(parts, project, parts.defaultEndpoint);
    return noContent;
  },
};

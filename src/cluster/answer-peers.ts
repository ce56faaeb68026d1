/** Runs what other replicas send: requests that they forward, questions, and notices of changed values. */
import { type Reply, toControlProblemReply } from '../http/reply.ts';
import type { ClusterParts, Handlers } from './cluster-parts.ts';
import { applyHere, type ForwardedApi, type ForwardedControl, toApiCall, toControlCall } from './forwarded.ts';
import type { MessageKind } from './transport/peer-client.ts';
import type { PeerRequest } from './transport/peer-server.ts';

/** The claim of the project that the sender found. */
interface Sent {
  readonly epoch?: number;
}

export function createPeerHandler(parts: ClusterParts): (kind: MessageKind, request: PeerRequest) => Promise<Reply> {
  const { running, wide } = parts;
  return async (kind, request) => {
    switch (kind) {
      case 'wide':
        return wide.answer(running(), request);
      case 'api':
        return runApi(parts, request);
      case 'control':
        return runControl(parts, request);
      default:
        return kind satisfies never;
    }
  };
}

function runApi({ late, dispatch }: ClusterParts, { head, text }: PeerRequest): Promise<Reply> {
  const { api } = late.handlers as Handlers;
  const { epoch, ...forwarded } = head as ForwardedApi & Sent;
  const call = toApiCall(forwarded, text, () => applyHere(api, forwarded, text));
  return dispatch.runForwarded(call, epoch);
}

/** Runs a request of the control API. Identifies its caller again. */
async function runControl({ running, dispatch }: ClusterParts, { head, onLeave }: PeerRequest): Promise<Reply> {
  const { control, loaded } = running();
  const { epoch, ...forwarded } = head as ForwardedControl & Sent;
  const { headers, isSecure } = forwarded.request;
  const caller = control.session.identify(headers, isSecure);
  if ('kind' in caller) return toControlProblemReply(caller);
  const full = { ...forwarded.request, caller, onLeave };
  const here = async (): Promise<Reply> => (await loaded()).handleHere(forwarded.id, full);
  return dispatch.runForwarded(toControlCall(forwarded, here), epoch);
}

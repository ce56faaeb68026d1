/** Keeps the control API from strangers: other origins, other host names, callers without the admin token. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Problem } from '../../base/problem.ts';
import { cameByTls, type Session } from './session.ts';

export interface GuardOptions {
  readonly session: Session;
  /** Whether the server listens on loopback only: then no other host name can be meant. */
  readonly onLoopback: boolean;
}

/**
 * Open to all: who starts a container must be able to ask whether it is up, who logs in has no token yet, and what is to
 * be trusted is shown to every client anyway.
 */
const openOperations = new Set(['getHealth', 'getReady', 'getCa', 'login']);

/** Why a request may not go on, or undefined where it may. */
export function createGuard({
  session,
  onLoopback,
}: GuardOptions): (request: IncomingMessage, operation?: string) => Problem | undefined {
  return (request, operation) => {
    const { headers } = request;
    const host = headers.host ?? '';
    if (onLoopback && !isLoopback(host)) {
      return { kind: 'misdirected', message: 'this sandbox listens on loopback: ask for it as localhost or 127.0.0.1' };
    }
    const { origin } = headers;
    if ((origin !== undefined && !isOwn(origin, host)) || isFromElsewhere(headers)) {
      return { kind: 'foreignOrigin', message: 'pages of other origins may not use the control API' };
    }
    if (operation !== undefined && openOperations.has(operation)) return undefined;
    if (session.isOpen(headers, cameByTls(request))) return undefined;
    const message = 'the control API needs the admin token: send `authorization: Bearer TOKEN`';
    return { kind: 'missingKey', message, errors: [{ path: 'header:authorization', message }] };
  };
}

/**
 * Whether a page of another site, or of another port, had its browser ask: for a picture or a script no origin is sent.
 * Who follows a link from there sees the answer, and that page does not.
 */
function isFromElsewhere({ 'sec-fetch-site': site, 'sec-fetch-mode': mode }: IncomingHttpHeaders): boolean {
  return (site === 'cross-site' || site === 'same-site') && mode !== 'navigate';
}

function isLoopback(host: string): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name);
}

function isOwn(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}

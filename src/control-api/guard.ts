/** Protects the control API from pages of other origins, other host names, and clients without the admin token. */

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Problem } from '../lib/problem.ts';
import { isUrl } from '../lib/url.ts';
import type { Session } from './handler.ts';
import { isOverTls } from './session.ts';

export interface GuardOptions {
  readonly session: Session;
  /** Whether the server listens on loopback only; it then rejects other host names. */
  readonly onLoopback: boolean;
}

/**
 * Operations without authentication: health checks of containers have no token, nor do clients that log in, and every
 * TLS client receives the certificate anyway.
 */
const openOperations = new Set(['getHealth', 'getReady', 'getCa', 'login']);

/** Creates a function that returns a problem if a request is not allowed, otherwise undefined. */
export function createGuard({
  session,
  onLoopback,
}: GuardOptions): (request: IncomingMessage, operation?: string) => Problem | undefined {
  return (request, operation) => {
    const { headers } = request;
    const host = headers.host ?? '';
    if (onLoopback && !isLoopback(host)) {
      return {
        kind: 'misdirected',
        message: 'this sandbox listens on loopback only: the host name must be localhost or 127.0.0.1',
      };
    }
    const { origin } = headers;
    if ((origin !== undefined && !isSameHost(origin, host)) || isCrossOrigin(headers)) {
      return { kind: 'foreignOrigin', message: 'pages of other origins may not use the control API' };
    }
    if (operation !== undefined && openOperations.has(operation)) return undefined;
    if (session.isOpen(headers, isOverTls(request))) return undefined;
    const message = 'the control API needs the admin token: send `authorization: Bearer TOKEN`';
    return { kind: 'missingKey', message, errors: [{ path: 'header:authorization', message }] };
  };
}

/**
 * Returns whether a page of another site or port made the request: browsers send no `origin` header for images and
 * scripts. Allows navigation, because the page with the link can't read the response.
 */
function isCrossOrigin({ 'sec-fetch-site': site, 'sec-fetch-mode': mode }: IncomingHttpHeaders): boolean {
  return (site === 'cross-site' || site === 'same-site') && mode !== 'navigate';
}

function isLoopback(host: string): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name);
}

function isSameHost(origin: string, host: string): boolean {
  return isUrl(origin) && new URL(origin).host === host.toLowerCase();
}

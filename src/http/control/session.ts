/** Lets browsers in where an admin token is asked for: by a cookie that stands in the token's place. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type ControlHandlers, refuse } from './handler.ts';

/**
 * Browsers share cookies between ports, and one that came over TLS can't be replaced without: each has its own, and is
 * good for nothing on the other.
 */
const cookieName = (isSecure: boolean): string => (isSecure ? '__Secure-sandbox-session' : 'sandbox-session');

/** For the browser's session only; no script reads it, and no page of another site has it sent. */
const attributes = 'Path=/_sandbox; HttpOnly; SameSite=Strict';

function toCookie(value: string, isSecure: boolean): string {
  return `${cookieName(isSecure)}=${value}; ${attributes}${isSecure ? '; Secure' : ''}`;
}

/** Whether a request came over TLS. */
export function cameByTls({ socket }: IncomingMessage): boolean {
  return 'encrypted' in socket && socket.encrypted === true;
}

export interface Session {
  /** Whether a request brings the admin token, or the cookie; always where no token is asked for. */
  isOpen(headers: IncomingHttpHeaders, isSecure: boolean): boolean;
  /** The cookie for whoever knows the token. */
  login(token: string, isSecure: boolean): string | undefined;
}

export function createSession(adminToken: string | undefined): Session {
  if (adminToken === undefined) return { isOpen: () => true, login: () => undefined };
  // Made of the token, so that browsers stay logged in when the server is started anew; it tells nothing of the token.
  const value = createHmac('sha256', adminToken).update('console session').digest('base64url');
  return {
    isOpen: ({ authorization = '', cookie = '' }, isSecure) =>
      isSame(authorization, `Bearer ${adminToken}`) || isSame(readCookie(cookie, cookieName(isSecure)), value),
    login: (token, isSecure) => (isSame(token, adminToken) ? toCookie(value, isSecure) : undefined),
  };
}

function readCookie(header: string, name: string): string {
  const found = header.split(';').find((pair) => pair.trim().startsWith(`${name}=`));
  return found?.trim().slice(name.length + 1) ?? '';
}

/** Compared by digests, so that the time it takes tells nothing. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

export const sessionHandlers: ControlHandlers<'login' | 'logout'> = {
  login: ({ session }, { body, isSecure }) => {
    const cookie = session.login((body as { token: string }).token, isSecure);
    if (cookie === undefined) return refuse('missingKey', 'this is not the admin token', '/token');
    return { status: 204, body: undefined, headers: { 'set-cookie': cookie } };
  },
  logout: (_parts, { isSecure }) => ({
    status: 204,
    body: undefined,
    headers: { 'set-cookie': `${toCookie('', isSecure)}; Max-Age=0` },
  }),
};

/** Authenticates clients by the admin token, and browsers by a session cookie in place of the token. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type ControlHandlers, reject, type Session } from './handler.ts';

/**
 * Returns the name of the cookie, which differs with and without TLS: browsers share cookies between ports, and do not
 * replace a cookie set over TLS without TLS. Each cookie is only valid on its own port.
 */
const cookieName = (isSecure: boolean): string => (isSecure ? '__Secure-sandbox-session' : 'sandbox-session');

/** Cookie attributes: for the browser session only, not readable by scripts, not sent for pages of other sites. */
const attributes = 'Path=/_sandbox; HttpOnly; SameSite=Strict';

function toCookie(value: string, isSecure: boolean): string {
  return `${cookieName(isSecure)}=${value}; ${attributes}${isSecure ? '; Secure' : ''}`;
}

export function isOverTls({ socket }: IncomingMessage): boolean {
  return 'encrypted' in socket && socket.encrypted === true;
}

export function createSession(adminToken: string | undefined): Session {
  if (adminToken === undefined) return { isOpen: () => true, login: () => undefined };
  // Derived from the token, so that browsers stay logged in after a restart. It does not reveal the token.
  const value = createHmac('sha256', adminToken).update('console session').digest('base64url');
  return {
    isOpen: ({ authorization = '', cookie = '' }, isSecure) =>
      isSame(readBearer(authorization), adminToken) || isSame(readCookie(cookie, cookieName(isSecure)), value),
    login: (token, isSecure) => (isSame(token, adminToken) ? toCookie(value, isSecure) : undefined),
  };
}

/** Returns the token of `Bearer TOKEN`. The scheme is not case-sensitive, and spaces may repeat (RFC 9110, 11.4). */
function readBearer(header: string): string {
  return /^bearer +(.*)$/is.exec(header)?.[1] ?? '';
}

function readCookie(header: string, name: string): string {
  const found = header.split(';').find((pair) => pair.trim().startsWith(`${name}=`));
  return found?.trim().slice(name.length + 1) ?? '';
}

/** Compares two texts by their digests, in a time that does not depend on their contents. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

export const sessionHandlers: ControlHandlers<'login' | 'logout'> = {
  login: ({ session }, { body, isSecure }) => {
    const cookie = session.login((body as { token: string }).token, isSecure);
    if (cookie === undefined)
      return reject('missingKey', 'wrong admin token: use the value of --admin-token', '/token');
    return { status: 204, body: undefined, headers: { 'set-cookie': cookie } };
  },
  logout: (_parts, { isSecure }) => ({
    status: 204,
    body: undefined,
    headers: { 'set-cookie': `${toCookie('', isSecure)}; Max-Age=0` },
  }),
};

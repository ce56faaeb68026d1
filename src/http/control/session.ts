/** Lets browsers in where an admin token is asked for: by a cookie that stands in the token's place. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type ControlHandlers, refuse } from './handler.ts';

const cookieName = 'sandbox-session';

/** For the browser's session only; no script reads it, and no page of another site has it sent. */
const attributes = 'Path=/_sandbox; HttpOnly; SameSite=Strict';

export interface Session {
  /** Whether a request brings the admin token, or the cookie; always where no token is asked for. */
  isOpen(headers: IncomingHttpHeaders): boolean;
  /** The cookie for whoever knows the token. */
  login(token: string): string | undefined;
}

export function createSession(adminToken: string | undefined): Session {
  if (adminToken === undefined) return { isOpen: () => true, login: () => undefined };
  // Made of the token, so that browsers stay logged in when the server is started anew; it tells nothing of the token.
  const value = createHmac('sha256', adminToken).update('console session').digest('base64url');
  return {
    isOpen: ({ authorization = '', cookie = '' }) =>
      isSame(authorization, `Bearer ${adminToken}`) || isSame(readCookie(cookie), value),
    login: (token) => (isSame(token, adminToken) ? `${cookieName}=${value}; ${attributes}` : undefined),
  };
}

function readCookie(header: string): string {
  const found = header.split(';').find((pair) => pair.trim().startsWith(`${cookieName}=`));
  return found?.trim().slice(cookieName.length + 1) ?? '';
}

/** Compared by digests, so that the time it takes tells nothing. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

export const sessionHandlers: ControlHandlers<'login' | 'logout'> = {
  login: ({ session }, { body }) => {
    const cookie = session.login((body as { token: string }).token);
    if (cookie === undefined) return refuse('missingKey', 'this is not the admin token', '/token');
    return { status: 204, body: undefined, headers: { 'set-cookie': cookie } };
  },
  logout: () => ({
    status: 204,
    body: undefined,
    headers: { 'set-cookie': `${cookieName}=; ${attributes}; Max-Age=0` },
  }),
};

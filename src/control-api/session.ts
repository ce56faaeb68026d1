/** Identifies clients by the admin token or an API key, and browsers by a session cookie in place of either. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type ApiKey, isBound, toKeyProblem } from '../keys/api-key.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { forwardedScheme } from '../lib/header.ts';
import type { Problem } from '../lib/problem.ts';
import { admin, type Caller, createKeyCaller } from './caller.ts';
import { type ControlHandlers, ok, type Session } from './handler.ts';
import { showKey } from './keys.ts';

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

/** Whether the client uses https, to the sandbox itself or to a proxy in front of it. */
export function isOverTls({ socket, headers }: IncomingMessage): boolean {
  const scheme = forwardedScheme(headers['x-forwarded-proto']);
  return scheme === undefined ? 'encrypted' in socket && socket.encrypted === true : scheme === 'https';
}

export function createSession(adminToken: string | undefined, keys: KeyRing, separatesRegions: boolean): Session {
  if (adminToken === undefined) return { isRequired: false, identify: () => admin, login: () => wrongToken };
  // Derived from the token, so that browsers stay logged in after a restart. It does not reveal the token.
  const sign = (text: string): string => createHmac('sha256', adminToken).update(text).digest('base64url');
  const adminCookie = sign('console session');
  const signKeyId = (id: string): string => sign(`console session of key ${id}`);

  /** Returns the key of a session; undefined if the key was deleted or has expired. */
  function findByCookie(cookie: string): ApiKey | undefined {
    const [, id = '', signature = ''] = /^(\w+)\.([\w-]+)$/.exec(cookie) ?? [];
    return isSame(signature, signKeyId(id)) ? keys.findById(id) : undefined;
  }

  function identify(headers: IncomingHttpHeaders, isSecure: boolean): Caller | Problem {
    const { authorization = '', host = '' } = headers;
    const cookie = readCookie(headers.cookie ?? '', cookieName(isSecure));
    if (isSame(readBearer(authorization), adminToken ?? '') || isSame(cookie, adminCookie)) return admin;
    const key = headers['apikey'] === undefined ? findByCookie(cookie) : keys.find(headers);
    if (!key) return toTokenProblem(noCredentials, 'header:authorization');
    if ('kind' in key) return key;
    return isBound(key) ? createKeyCaller(keys, key, host, separatesRegions) : unboundKey;
  }

  return {
    isRequired: true,
    identify,
    login: ({ token, apikey }, isSecure) => {
      if (apikey === undefined) return isSame(token ?? '', adminToken) ? toCookie(adminCookie, isSecure) : wrongToken;
      const key = keys.find({ apikey });
      if ('kind' in key) return { ...key, errors: [{ path: '/apikey', message: key.message }] };
      return isBound(key) ? toCookie(`${key.id}.${signKeyId(key.id)}`, isSecure) : unboundKey;
    },
  };
}

const wrongToken = toTokenProblem('wrong admin token: use the value of --admin-token', '/token');

const noCredentials =
  'the control API needs the admin token: send `authorization: Bearer TOKEN`; or for your own projects their API key: send `apikey: KEY`';

const unboundKey: Problem = toKeyProblem(
  'foreignKey',
  'this API key is good for every project, so it does not open the control API: send the admin token, or a key that is bound to projects',
);

function toTokenProblem(message: string, path: string): Problem {
  return { kind: 'missingKey', message, errors: [{ path, message }] };
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

export const sessionHandlers: ControlHandlers<'getSession' | 'login' | 'logout'> = {
  getSession: ({ keys }, { caller }) => {
    const { key } = caller;
    if (!key) return ok({ admin: true, projects: null });
    const created = keys.list().find(({ id }) => id === key.id);
    const { label, expiresAt, limits } = created ? showKey(created) : {};
    const names = key.grants.flatMap(({ projects }) => (projects ? [...projects.exact, ...projects.globs] : []));
    return ok({
      admin: false,
      projects: [...new Set(names)],
      ...(label !== undefined && { label }),
      ...(expiresAt !== undefined && { expiresAt }),
      ...(limits && { limits }),
    });
  },
  login: ({ session }, { body, isSecure }) => {
    const cookie = session.login(body as { token?: string; apikey?: string }, isSecure);
    if (typeof cookie !== 'string') return { problem: cookie };
    return { status: 204, body: undefined, headers: { 'set-cookie': cookie } };
  },
  logout: (_parts, { isSecure }) => ({
    status: 204,
    body: undefined,
    headers: { 'set-cookie': `${toCookie('', isSecure)}; Max-Age=0` },
  }),
};

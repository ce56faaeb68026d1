/** Who sends a request of the control API, and which projects they may use. */
import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type ApiKey, checkProject, isBound, toKeyProblem } from '../keys/api-key.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { Problem } from '../lib/problem.ts';
import { isSameSecret } from '../lib/same-secret.ts';
import { Seal } from './seal.ts';

export interface Caller {
  /** Whether all operations and all projects are open: with the admin token, or if the server has none. */
  readonly isAdmin: boolean;
  /** The API key of a caller who is no admin. */
  readonly key: ApiKey | undefined;
  /** Returns why the key of a caller does not open a project. */
  check(project: string): Problem | undefined;
  /** Whether the caller may see and change a project. Without a project: what belongs to none. */
  mayUse(project: string | null | undefined): boolean;
  /** Whether the caller still has access. */
  isValid(): boolean;
  /** Calls the listener once the caller has lost its access. Returns a function that unsubscribes. */
  onEnd(listener: () => void): () => void;
  /** How positions in events and lists are written for the caller: their numbers count what all projects do. */
  readonly positions: Positions;
}

export type Positions = Pick<Seal, 'seal' | 'unseal'>;

export const admin: Caller = {
  isAdmin: true,
  key: undefined,
  check: () => undefined,
  mayUse: () => true,
  isValid: () => true,
  onEnd: () => () => undefined,
  positions: { seal: (text) => text, unseal: (text) => text },
};

/** A client without credentials, for operations that need none. */
export const nobody: Caller = { ...admin, isAdmin: false, mayUse: () => false };

/** Returns the name under which the waiting clients of a request are counted: its project, or else its key. */
export function toSlotName(project: unknown, { key }: Caller): string | undefined {
  return project === undefined ? key && `key ${key.id}` : String(project);
}

/**
 * Returns the name of the cookie, which differs with and without TLS: browsers share cookies between ports, and do not
 * replace a cookie set over TLS without TLS. Each cookie is only valid on its own port.
 */
const cookieName = (isSecure: boolean): string => (isSecure ? '__Secure-sandbox-session' : 'sandbox-session');

/** Cookie attributes: for the browser session only, not readable by scripts, not sent for pages of other sites. */
const attributes = 'Path=/_sandbox; HttpOnly; SameSite=Strict';

export function toSessionCookie(value: string, isSecure: boolean): string {
  return `${cookieName(isSecure)}=${value}; ${attributes}${isSecure ? '; Secure' : ''}`;
}

/** Identifies clients by the admin token or an API key, and browsers by a session cookie in place of either. */
export class Session {
  readonly #keys: KeyRing;
  readonly #token: string | undefined;
  readonly #separatesRegions: boolean;
  readonly #positions: Positions;

  constructor(adminToken: string | undefined, keys: KeyRing, separatesRegions: boolean) {
    this.#token = adminToken;
    this.#keys = keys;
    this.#separatesRegions = separatesRegions;
    this.#positions = new Seal(adminToken ?? '');
  }

  /** Whether clients must log in, because the server has an admin token. */
  get isRequired(): boolean {
    return this.#token !== undefined;
  }

  /** Returns who sends a request, or the problem if it has no valid token, key or cookie. */
  identify(headers: IncomingHttpHeaders, isSecure: boolean): Caller | Problem {
    if (this.#token === undefined) return admin;
    const { authorization = '', host = '' } = headers;
    const cookie = readCookie(headers.cookie ?? '', cookieName(isSecure));
    if (isSameSecret(readBearer(authorization), this.#token) || isSameSecret(cookie, this.#sign(adminSession)))
      return admin;
    const key = headers['apikey'] === undefined ? this.#findByCookie(cookie) : this.#keys.find(headers);
    if (!key) return toTokenProblem(noCredentials, 'header:authorization');
    if ('kind' in key) return key;
    return isBound(key) ? this.#toCaller(key, host) : unboundKey;
  }

  /** Returns the session cookie for a token or a key, or the problem if it is not valid. */
  login(
    { token = '', apikey }: { readonly token?: string; readonly apikey?: string },
    isSecure: boolean,
  ): string | Problem {
    // A wrong key is reported without an admin token too, so that a client can check its key before it sends a request.
    const key = apikey === undefined ? undefined : this.#keys.find({ apikey });
    if (key && 'kind' in key) return { ...key, errors: [{ path: '/apikey', message: key.message }] };
    if (this.#token === undefined) return noLogin;
    if (key === undefined)
      return isSameSecret(token, this.#token) ? toSessionCookie(this.#sign(adminSession), isSecure) : wrongToken;
    return isBound(key) ? toSessionCookie(`${key.id}.${this.#sign(keySession(key.id))}`, isSecure) : unboundKey;
  }

  /**
   * Creates the caller of a bound key. The region of the host counts as for the API, or that of a project's id, where
   * projects of regions are separate.
   */
  #toCaller(key: ApiKey, host: string): Caller {
    const check = (project: string): Problem | undefined => checkProject(key, host, project, this.#separatesRegions);
    return {
      isAdmin: false,
      key,
      check,
      mayUse: (project) => typeof project === 'string' && !check(project),
      isValid: () => this.#keys.findById(key.id) !== undefined,
      onEnd: (listener) => this.#keys.onEnd(key.id, listener),
      positions: this.#positions,
    };
  }

  /** Returns the key of a session; undefined if the key was deleted or has expired. */
  #findByCookie(cookie: string): ApiKey | undefined {
    const [, id = '', signature = ''] = /^(\w+)\.([\w-]+)$/.exec(cookie) ?? [];
    return isSameSecret(signature, this.#sign(keySession(id))) ? this.#keys.use(id) : undefined;
  }

  /** Signs with the token, so that browsers stay logged in after a restart. The result does not reveal the token. */
  #sign(text: string): string {
    return createHmac('sha256', this.#token ?? '')
      .update(text)
      .digest('base64url');
  }
}

const adminSession = 'console session';
const keySession = (id: string): string => `console session of key ${id}`;

const wrongToken = toTokenProblem('wrong admin token: use the value of --admin-token', '/token');

const noLogin = toTokenProblem('this sandbox has no admin token, so nobody needs to log in', '');

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

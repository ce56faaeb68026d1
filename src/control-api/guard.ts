/**
 * Protects the control API from pages of other origins, other host names, and clients without access. Decides alone which
 * operations and projects a client may use; handlers filter lists by the caller that it returns.
 */

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isOverTls } from '../http/exchange.ts';
import { checkLoopback } from '../http/server.ts';
import { toKeyProblem } from '../keys/api-key.ts';
import type { Problem } from '../lib/problem.ts';
import { isUrl } from '../lib/url.ts';
import type { FoundMatch, Match } from '../openapi/router.ts';
import { type Caller, nobody, type Session } from './caller.ts';

/**
 * Returns who sends a request, or the problem if nobody may send it. `onLoopback`: whether the server listens on loopback
 * only; it then rejects other host names.
 */
export function identify(
  request: IncomingMessage,
  match: Match,
  session: Session,
  onLoopback: boolean,
): Caller | Problem {
  const { headers } = request;
  const { host = '', origin } = headers;
  const misdirected = onLoopback && checkLoopback(host);
  if (misdirected) return misdirected;
  if ((origin !== undefined && !isSameHost(origin, host)) || isCrossOrigin(headers)) {
    return { kind: 'foreignOrigin', message: 'pages of other origins may not use the control API' };
  }
  if (match.found && needOf(match) === 'nothing') return nobody;
  return session.identify(headers, isOverTls(request));
}

/**
 * Returns what a client of an operation needs, as the document says. An operation of the document without `security` is
 * for admins.
 */
function needOf({ operation: { source } }: FoundMatch): 'nothing' | 'key' | 'admin' {
  const { security } = source;
  if (security?.length === 0) return 'nothing';
  return security?.some((one) => 'apiKey' in one) ? 'key' : 'admin';
}

/** Returns the problem if the key of a caller does not open an operation or its project. */
export function checkKey({ isAdmin, check }: Caller, match: Match): Problem | undefined {
  const need = match.found ? needOf(match) : 'nothing';
  if (isAdmin || !match.found || need === 'nothing') return undefined;
  if (need === 'admin') return toKeyProblem('foreignKey', adminOnly);
  const project = match.params['projectId'] ?? match.query['project'];
  const foreign = project === undefined ? [] : [project].flat().flatMap((one) => check(one) ?? []);
  return foreign[0] && toKeyProblem('foreignKey', `${foreign[0].message}${whichProjects}`);
}

const adminOnly =
  'an API key opens only its own projects; this operation needs the admin token: send `authorization: Bearer TOKEN`';

const whichProjects = '; GET /_sandbox/session lists the projects of the key';
export const otherProject: string = `this API key is for another project${whichProjects}`;

/**
 * Returns whether a page of another site or port made the request: browsers send no `origin` header for images and
 * scripts. Allows navigation, because the page with the link can't read the response.
 */
function isCrossOrigin({ 'sec-fetch-site': site, 'sec-fetch-mode': mode }: IncomingHttpHeaders): boolean {
  return (site === 'cross-site' || site === 'same-site') && mode !== 'navigate';
}

function isSameHost(origin: string, host: string): boolean {
  return isUrl(origin) && new URL(origin).host === host.toLowerCase();
}

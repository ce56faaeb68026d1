/** Formats the message of a sandbox that is ready: its addresses, its API key, and requests to try. */
import { defaultKey } from '../../config/keys.ts';
import type { Options } from '../../config/option-table.ts';
import type { RunningSandbox } from '../../server.ts';

/** Returns readable lines, or with `--json` one JSON line. */
export function toAnnouncement({ url, tls }: Pick<RunningSandbox, 'url' | 'tls'>, options: Options): string {
  const key = options.apiKeys.includes(defaultKey) ? defaultKey : undefined;
  const demo = `${url}/_sandbox/#/live?project=demo`;
  if (options.json) {
    const secure = tls && { tlsUrl: tls.url, caUrl: tls.caUrl };
    const addresses = { url, ...secure, ...(key && { apiKey: key }), control: `${url}/_sandbox` };
    return `${JSON.stringify({ event: 'ready', ...addresses, ...(options.demo && { demo }) })}\n`;
  }
  return `field-sandbox is ready
  URL      ${url}${toTlsLines(tls)}
  key      ${key ?? 'as set by --api-key'} (header apikey)
  control  ${url}/_sandbox
  console  ${url}/_sandbox/${options.demo ? `\n  demo     ${demo} (a project with sample data)` : ''}

Try it: import one job that succeeds and one that fails downstream:
  curl -X POST ${url}/async/projects/demo/jobs -H 'apikey: ${key ?? 'YOUR-KEY'}' -H 'content-type: application/json' -d '{"jobs":[{"id":"ORD-1"},{"id":"FAIL-GEOCODE-1"}]}'
${toAdvanceLines(url, options)}Then list the callback for the failure:
  curl ${url}/_sandbox/projects/demo/callbacks${toTokenHeader(options)}

`;
}

/** Formats the TLS address, and how a client trusts its certificate. */
function toTlsLines(tls: RunningSandbox['tls']): string {
  if (!tls) return '';
  const trust = tls.caUrl && `; to trust it: curl -o ca.pem ${tls.caUrl}`;
  return `\n  https    ${tls.url}${trust ?? ''}`;
}

/** Formats the request that applies pending work: on a frozen clock, nothing becomes due by itself. */
function toAdvanceLines(url: string, options: Options): string {
  if (options.clock.mode !== 'frozen') return '';
  return `Then advance the clock, which is frozen, until no work is pending:
  curl -X POST ${url}/_sandbox/projects/demo/clock/advance -H 'content-type: application/json'${toTokenHeader(options)} -d '{"until":"idle"}'
`;
}

/** Formats the header that the control API requires, without the token itself. */
function toTokenHeader({ adminToken }: Options): string {
  return adminToken === undefined ? '' : ' -H "authorization: Bearer $SANDBOX_ADMIN_TOKEN"';
}

/** Formats the message of a sandbox that is ready: its addresses, its API key, and requests to try. */
import { defaultKey } from '../../config/keys.ts';
import type { Options } from '../../config/option-table.ts';
import type { BuiltRequest } from '../../openapi/build-request.ts';
import type { RunningSandbox } from '../../server.ts';

/** Returns readable lines, or with `--json` one JSON line. */
export function toAnnouncement(
  { url, tls, example }: Pick<RunningSandbox, 'url' | 'tls' | 'example'>,
  options: Options,
): string {
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

Try it: import ${options.magicIds ? 'one job that succeeds and one that fails downstream' : 'two jobs'}:
  ${example ? toCurl(url, key ?? 'YOUR-KEY', example) : ''}
${toAdvanceLines(url, options)}Then list ${options.magicIds ? 'the callback for the failure' : 'them'}:
  curl ${url}/_sandbox/projects/demo/${options.magicIds ? 'callbacks' : 'jobs'}${toTokenHeader(options)}

`;
}

/** Formats the example as the profile has it: its path, query, headers and body. */
function toCurl(base: string, key: string, { method, url, headers, body }: BuiltRequest): string {
  const address = url.includes('?') ? `'${base}${url}'` : base + url;
  const all = Object.entries({ apikey: key, ...headers, 'content-type': 'application/json' });
  const words = all.map(([name, value]) => `-H '${name}: ${value}'`);
  return `curl -X ${method} ${address} ${words.join(' ')} -d '${JSON.stringify(body)}'`;
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

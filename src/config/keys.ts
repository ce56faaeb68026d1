/** The syntax of API keys in options. */

/** Regions. Each has its own host, such as `au.localhost`. */
export const regions = ['au', 'eu', 'us'] as const;
export type Region = (typeof regions)[number];

/** Default key, valid for every project if no `--api-key` is given. It is public and not a secret. */
export const defaultKey = 'sandbox-key';

/** Syntax of `--api-key`, for messages. */
const keyHelp = 'KEY, KEY@REGION, KEY=PROJECT,… or KEY@REGION=PROJECT,… where REGION is au, eu or us';

/** A key of `--api-key`. `projects`: ids and patterns; without them, it is for all projects. */
interface GivenKey {
  readonly key: string;
  readonly region?: Region;
  readonly projects?: readonly string[];
}

/** Parses `KEY[@REGION][=PROJECT,…]`. @throws {Error} with a message that does not contain the key */
export function parseKey(text: string): GivenKey {
  const [, key = '', region, projects] = /^([^=]*?)(?:@([^@=]*))?(?:=(.*))?$/s.exec(text) ?? [];
  if (!/^[\x21-\x7e]+$/.test(key)) throw new Error(`expected ${keyHelp}; the key must be visible ASCII characters`);
  if (region !== undefined && !isRegion(region)) throw new Error(`expected ${keyHelp}; got region "${region}"`);
  const named = projects
    ?.replace(/,$/, '')
    .split(',')
    .map((one) => one.trim());
  if (named?.includes('')) throw new Error(`expected ${keyHelp}; got no project after "=" or ","`);
  const wide = named?.find((one) => one !== '*' && /^[*?]+$/.test(one));
  if (wide) throw new Error(`expected ${keyHelp}; got the pattern "${wide}": leave it out for every project`);
  return { key, ...(region !== undefined && { region }), ...(named && { projects: named }) };
}

export function isRegion(text: string): text is Region {
  return (regions as readonly string[]).includes(text);
}

/** Returns the first key of a list such as SANDBOX_API_KEY, as a client sends it. @throws {Error} if it is invalid */
export function toFirstKey([text]: readonly string[]): string | undefined {
  return text === undefined ? undefined : parseKey(text).key;
}

/** Returns the headers of a client of the control API: the admin token, or else the key of its projects. */
export function toCredentials(adminToken: string | undefined, apiKey: string | undefined): Record<string, string> {
  if (adminToken !== undefined) return { authorization: `Bearer ${adminToken}` };
  return apiKey === undefined ? {} : { apikey: apiKey };
}

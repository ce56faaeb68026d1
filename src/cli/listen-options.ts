/** The options of `listen`: read from the command line and the environment, and checked. */
import { parseAllowList, refuseUrl } from '../callbacks/address.ts';
import type { Listening } from '../listen/listen.ts';
import { optionTable } from '../option-table.ts';

/** The command's options, as they were typed. */
export interface ListenTexts {
  readonly url?: string;
  readonly forwardTo?: string;
  readonly project?: string;
  readonly adminToken?: string;
  readonly printSecret?: true;
}

/** Where a sandbox listens that was given no port. */
const usualUrl = 'http://127.0.0.1:4600';

/** What is to be listened to; or all that is wrong with it. Only the address and the token stand in the environment, too. */
export function parseListening(
  { url, forwardTo, project, adminToken }: ListenTexts,
  { SANDBOX_URL, SANDBOX_ADMIN_TOKEN }: Readonly<Record<string, string>>,
): Listening | { readonly mistakes: readonly string[] } {
  const address = url ?? SANDBOX_URL ?? usualUrl;
  const token = adminToken ?? SANDBOX_ADMIN_TOKEN;
  const mistakes = [
    toMistake(url === undefined ? 'SANDBOX_URL' : '--url', checkAddress(address)),
    toMistake('--forward-to', forwardTo === undefined ? undefined : checkReceiver(forwardTo)),
    toMistake('--project', project === '' ? 'expected a value, got none' : undefined),
    toMistake(
      adminToken === undefined ? 'SANDBOX_ADMIN_TOKEN' : '--admin-token',
      token === undefined ? undefined : optionTable.find(({ key }) => key === 'adminToken')?.check?.(token),
    ),
  ].flat();
  if (mistakes.length > 0) return { mistakes };
  // Whoever copies the console's address means the sandbox.
  return { url: address.replace(/\/+$/, '').replace(/\/_sandbox$/, ''), project, forwardTo, adminToken: token };
}

function toMistake(name: string, mistake: string | undefined): readonly string[] {
  return mistake === undefined ? [] : [`${name}: ${mistake}`];
}

function checkAddress(text: string): string | undefined {
  if (!/^https?:\/\/[^/\\?#]+[^?#]*$/i.test(text) || !URL.canParse(text))
    return `expected a sandbox's address, such as ${usualUrl}, got "${text}"`;
  const { username, password } = new URL(text);
  return username === '' && password === '' ? undefined : 'must not contain a user or password; see --admin-token';
}

function checkReceiver(text: string): string | undefined {
  const parsed = parseAllowList([]);
  return parsed.ok ? refuseUrl(text, parsed.allow) : undefined;
}

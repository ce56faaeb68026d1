/** Reads and checks the options of `listen`, from the command line and the environment. */
import { checkCallbackUrl, parseAllowList } from '../../callbacks/address.ts';
import { optionTable } from '../../config/option-table.ts';
import type { ListenTarget } from './listen.ts';

/** The command's options, as text. */
export interface ListenTexts {
  readonly url?: string;
  readonly forwardTo?: string;
  readonly project?: string;
  readonly adminToken?: string;
  readonly printSecret?: true;
}

/** Address of a sandbox with the default port. */
const defaultUrl = 'http://127.0.0.1:4600';

/** Returns the target, or all mistakes in the options. The environment supplies only the address and the token. */
export function parseListening(
  { url, forwardTo, project, adminToken }: ListenTexts,
  { SANDBOX_URL, SANDBOX_ADMIN_TOKEN }: Readonly<Record<string, string>>,
): ListenTarget | { readonly mistakes: readonly string[] } {
  const address = url ?? SANDBOX_URL ?? defaultUrl;
  const token = adminToken ?? SANDBOX_ADMIN_TOKEN;
  const mistakes = [
    toMistake(url === undefined ? 'SANDBOX_URL' : '--url', checkAddress(address)),
    toMistake('--forward-to', forwardTo === undefined ? undefined : checkReceiver(forwardTo)),
    toMistake('--project', project === '' ? 'expected a project id, got an empty value' : undefined),
    toMistake(
      adminToken === undefined ? 'SANDBOX_ADMIN_TOKEN' : '--admin-token',
      token === undefined ? undefined : optionTable.find(({ key }) => key === 'adminToken')?.check?.(token),
    ),
  ].flat();
  if (mistakes.length > 0) return { mistakes };
  // The console's address, which users copy from a browser, ends with /_sandbox/.
  return { url: address.replace(/\/+$/, '').replace(/\/_sandbox$/, ''), project, forwardTo, adminToken: token };
}

function toMistake(name: string, mistake: string | undefined): readonly string[] {
  return mistake === undefined ? [] : [`${name}: ${mistake}`];
}

function checkAddress(text: string): string | undefined {
  if (!/^https?:\/\/[^/\\?#]+[^?#]*$/i.test(text) || !URL.canParse(text))
    return `expected the URL of a sandbox, such as ${defaultUrl}, got "${text}"`;
  const { username, password } = new URL(text);
  return username === '' && password === ''
    ? undefined
    : 'must not contain a user or password; set --admin-token instead';
}

function checkReceiver(text: string): string | undefined {
  const parsed = parseAllowList([]);
  return parsed.ok ? checkCallbackUrl(text, parsed.allow) : undefined;
}

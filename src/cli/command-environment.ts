/** The environment of a command that runs against a sandbox of its own. */
import { toFirstKey } from '../config/keys.ts';
import type { Options } from '../config/option-table.ts';
import type { RunningSandbox } from '../server.ts';

/** Adds the address and the key of the sandbox. Requests to it never go through a proxy that the machine has. */
export function toCommandEnvironment(
  environment: NodeJS.ProcessEnv,
  { url, tls }: Pick<RunningSandbox, 'url' | 'tls'>,
  { apiKeys }: Pick<Options, 'apiKeys'>,
): NodeJS.ProcessEnv {
  const others = new Set([environment['no_proxy'], environment['NO_PROXY']].filter(Boolean));
  const direct = [...others, '127.0.0.1', 'localhost', '::1'].join(',');
  return {
    ...environment,
    SANDBOX_URL: url,
    SANDBOX_API_KEY: toFirstKey(apiKeys),
    ...(tls && { SANDBOX_TLS_URL: tls.url }),
    no_proxy: direct,
    NO_PROXY: direct,
  };
}

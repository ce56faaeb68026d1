/** Reads the API key that a command sends to the control API of a running sandbox. */
import { toFirstKey } from '../config/keys.ts';

type Read = { readonly apiKey: string | undefined } | { readonly mistake: string };

/** Returns the key of the option, or else the first key of SANDBOX_API_KEY. The message does not contain the key. */
export function readKey(option: string | undefined, environment: Readonly<Record<string, string>>): Read {
  const texts = option === undefined ? (environment['SANDBOX_API_KEY'] ?? '').split(/\s+/).filter(Boolean) : [option];
  try {
    return { apiKey: toFirstKey(texts) };
  } catch (error) {
    return { mistake: `${option === undefined ? 'SANDBOX_API_KEY' : '--api-key'}: ${(error as Error).message}` };
  }
}

/** Masks the secrets of a URL for messages. */
import { truncate } from './format.ts';
import { isSecretParameter } from './secret-name.ts';

const masked = '***';

/** Maximum length of a shown URL, in characters. */
const maxLength = 200;

/**
 * Returns a URL without its user, password and secret parameters. The text may be any input: a password may contain
 * any character, so everything before the last `@` counts as one.
 */
export function maskUrl(text: string): string {
  const shown = text
    .replace(/^([a-z][a-z\d+.-]*:)?([\\/]*).*@/is, `$1$2${masked}@`)
    .replace(/([?&#])([^?&#=]*)=[^&#]*/g, (part, separator: string, name: string) =>
      isSecretParameter(decode(name)) ? `${separator}${name}=${masked}` : part,
    );
  return truncate(shown, maxLength);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

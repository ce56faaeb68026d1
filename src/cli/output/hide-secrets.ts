/** Prepares texts for display: hides secrets, and formats a command on one line. */
import { parseKey } from '../../config/keys.ts';
import type { Options } from '../../config/option-table.ts';
import { withoutControls } from '../../diagnostics/line-excerpt.ts';
import { truncate } from '../../lib/format.ts';
import { toWord } from '../../lib/shell-word.ts';

/** Minimum length of a secret to hide, in characters. Shorter ones would match parts of ordinary words. */
const minSecretLength = 4;

/** Maximum length of a shown command, in characters. A command may contain a whole program. */
const maxCommandLength = 120;

/** Replaces the secrets of the options in a text by `***`. */
export function hideSecrets(text: string, { apiKeys, adminToken, callbackSecret }: Options): string {
  const keys = apiKeys.map((text) => parseKey(text).key);
  return (
    [...keys, adminToken ?? '', callbackSecret]
      .filter(({ length }) => length >= minSecretLength)
      // One may begin with another.
      .toSorted((one, other) => other.length - one.length)
      .reduce((shown, secret) => shown.replaceAll(secret, '***'), text)
  );
}

/** Formats a value as JSON, without the secrets of the options. */
export function toShownJson(value: unknown, options: Options): string {
  // Before texts are escaped, because escaping may change a secret.
  const hide = (_key: string, one: unknown): unknown => (typeof one === 'string' ? hideSecrets(one, options) : one);
  return `${JSON.stringify(value, hide, 2)}\n`;
}

/** Formats a command on one line, without the secrets of the options. */
export function toCommandLine(command: readonly string[], options: Options): string {
  return withoutControls(hideSecrets(command.map(toWord).join(' '), options)).replace(/ {2,}/g, ' ');
}

/** Formats a command on one line that is not too long to read. */
export function toShown(command: readonly string[], options: Options): string {
  return truncate(toCommandLine(command, options), maxCommandLength);
}

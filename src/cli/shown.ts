/** What of a run may be shown: texts without the secrets of its options, and its command on one line. */
import { parseKey } from '../contract/keys.ts';
import type { Options } from '../option-table.ts';
import { printable } from './log.ts';

/** Shorter keys would be found everywhere, and hide nothing. */
const shortestSecret = 4;

/** A command may hold a whole program: its beginning tells which it is. */
const longestCommand = 120;

/** The text with stars in place of the secrets of the options. */
export function hideSecrets(text: string, { apiKeys, adminToken, callbackSecret }: Options): string {
  const keys = apiKeys.map(parseKey).map((parsed) => (typeof parsed === 'string' ? '' : parsed.key));
  return [...keys, adminToken ?? '', callbackSecret]
    .filter(({ length }) => length >= shortestSecret)
    .reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
}

/** A command on one line, without the secrets of the options. */
export function toShown(command: readonly string[], options: Options): string {
  const text = printable(hideSecrets(command.map(toWord).join(' '), options)).replace(/ {2,}/g, ' ');
  return text.length > longestCommand ? `${text.slice(0, longestCommand)}…` : text;
}

/** An argument as it could be typed. */
function toWord(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}

/** Finds out whether the output of a command names the failure that it met. */
import type { Differences } from '../compare/compare.ts';
import { toOwnLines, toQuote } from './error-line.ts';

/** What to look for, and where. */
export interface Naming {
  /** Its kinds: a scenario can have several. */
  readonly kinds: readonly string[];
  /** The reasons that it gives for entries. */
  readonly reasons: readonly string[];
  readonly output: string;
  readonly baselineOutputs: readonly string[];
  readonly differences: Differences;
}

/** Returns the first line that names the failure, its status or its ids, and that no baseline has; or undefined. */
export function namesFailure({ kinds, reasons, output, baselineOutputs, differences }: Naming): string | undefined {
  const words = reasons.map((reason) => new RegExp(escapeText(reason)));
  const wanted = [...kinds.flatMap(toPatterns), ...words, ...toIds(differences)];
  return toQuote(toOwnLines(output, baselineOutputs).find((line) => wanted.some((pattern) => pattern.test(line))));
}

function toPatterns(kind: string): readonly RegExp[] {
  const [, status] = /^status-(\d+)/.exec(kind) ?? [];
  if (status !== undefined) return [new RegExp(`\\b${status}\\b`)];
  const [, words] = patterns.find(([prefix]) => kind.startsWith(prefix)) ?? [];
  return words ? [words] : [];
}

const patterns: readonly (readonly [prefix: string, words: RegExp])[] = [
  ['refused', /\b(refused|rejected|denied)\b/i],
  ['latency', /\b(time(d)?[ -]?out|ETIMEDOUT|abort(ed)?|slow)\b/i],
  ['connection-hang', /\b(time(d)?[ -]?out|ETIMEDOUT|abort(ed)?)\b/i],
  ['connection-drip', /\b(time(d)?[ -]?out|ETIMEDOUT|abort(ed)?|slow)\b/i],
  [
    'connection-truncate',
    /\b(truncated|incomplete|premature|terminated|unexpected end|EOF|ECONNRESET|aborted|closed|JSON)\b/i,
  ],
  ['connection-', /\b(reset|closed?|hang ?up|ECONNRESET|EPIPE|fetch failed|EOF|terminated|disconnected)\b/i],
  ['callback-delay', /\b(late|time(d)?[ -]?out|delayed|missing|no callback)\b/i],
  ['callback-drop', /\b(time(d)?[ -]?out|missing|lost|no callback)\b/i],
  ['callback-copies', /\b(duplicate|copy|copies|again|already|twice)\b/i],
  ['callback-order', /\b(order|out of order|late)\b/i],
  ['callback-signature', /\b(signature|forged|unsigned|stale|timestamp)\b/i],
  ['callback-body', /\b(malformed|JSON|parse|invalid|body)\b/i],
];

function toIds({ missing, differing, missingChanges }: Differences): readonly RegExp[] {
  const ids = new Set([...missing, ...differing, ...missingChanges].map(({ id }) => id));
  return [...ids].filter((id) => id !== '').map((id) => new RegExp(`(^|[^\\w-])${escapeText(id)}([^\\w-]|$)`));
}

function escapeText(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

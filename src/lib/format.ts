/** Formats texts, numbers and durations for people: in messages, in texts of the control API, and in the console. */

/** Cuts a text that came from outside, for a message: a list of failures may repeat it 10,000 times. */
export function truncate(text: string, maxLength = 60): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

/** Returns a number with its noun: `1 job`, `2,000 jobs`. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

const suffixes: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd', other: 'th' };
let rules: Intl.PluralRules | undefined;

/** Returns an ordinal number: `1st`, `2nd`, `11th`. */
export function toOrdinal(number: number): string {
  rules ??= new Intl.PluralRules('en', { type: 'ordinal' });
  return `${number}${suffixes[rules.select(number)]}`;
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

/** Formats a duration in its two largest units. */
export function formatSpan(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const parts: string[] = [];
  let rest = ms;
  for (const [unit, length] of units) {
    const count = Math.floor(rest / length);
    if (count > 0) parts.push(`${count} ${unit}`);
    rest -= count * length;
  }
  return parts.slice(0, 2).join(' ');
}

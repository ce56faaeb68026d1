/** Formats ordinal numbers: `1st`, `2nd`, `11th`. */
const suffixes: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd', other: 'th' };
let rules: Intl.PluralRules | undefined;

export function toOrdinal(number: number): string {
  rules ??= new Intl.PluralRules('en', { type: 'ordinal' });
  return `${number}${suffixes[rules.select(number)]}`;
}

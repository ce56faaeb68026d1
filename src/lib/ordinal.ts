/** Formats ordinal numbers: `1st`, `2nd`, `11th`. */
const suffixes: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd', other: 'th' };
const rules = new Intl.PluralRules('en', { type: 'ordinal' });

export function toOrdinal(number: number): string {
  return `${number}${suffixes[rules.select(number)]}`;
}

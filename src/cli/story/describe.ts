/** Formats the comparison of two stories. */
import { formatCount } from '../../lib/format.ts';
import { cut } from '../output/text.ts';
import { maxDifferences } from '../replay/describe.ts';
import type { ItemDifference, PartComparison, ValueDifference } from './compare.ts';

/** Maximum number of listed values of one item. The others are counted. */
const maxValues = 5;

export function isSame(parts: readonly PartComparison[]): boolean {
  return parts.every(({ differences }) => differences.length === 0);
}

/** Formats the counts, such as `same: 2 requests, 1 record, 0 callbacks` or `different: 1 of 2 requests, …`. */
export function toSummary(parts: readonly PartComparison[]): string {
  if (isSame(parts))
    return `same: ${parts.map(({ part, count: all }) => formatCount(all, part.slice(0, -1))).join(', ')}`;
  const counts = parts.map(({ part, count: all, differences }) => {
    return `${differences.length.toLocaleString('en')} of ${formatCount(all, part.slice(0, -1))}`;
  });
  return `different: ${counts.join(', ')}`;
}

/** Formats the differences of each part. `names`: the names of the two stories. */
export function toStoryLines(parts: readonly PartComparison[], names: readonly [string, string]): readonly string[] {
  return parts.flatMap(({ part, differences }) => {
    if (differences.length === 0) return [];
    const hidden = differences.length - maxDifferences;
    return [
      part,
      ...differences.slice(0, maxDifferences).flatMap((difference) => toItemLines(difference, names)),
      ...(hidden > 0 ? [`  and ${formatCount(hidden, 'more difference')}`] : []),
    ];
  });
}

function toItemLines(difference: ItemDifference, names: readonly [string, string]): readonly string[] {
  if ('onlyIn' in difference) return [`  only in ${names[difference.onlyIn]}: ${cut(difference.label)}`];
  const { label, differing } = difference;
  const hidden = differing.length - maxValues;
  return [
    `  ${cut(label)}`,
    ...differing.slice(0, maxValues).map(toValueLine),
    ...(hidden > 0 ? [`    and ${formatCount(hidden, 'more value')}`] : []),
  ];
}

function toValueLine({ path, values: [one, other] }: ValueDifference): string {
  return `    ${cut(path)}: ${show(one)} → ${show(other)}`;
}

function show(value: unknown): string {
  return value === undefined ? 'none' : cut(JSON.stringify(value));
}

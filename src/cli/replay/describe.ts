/** Formats the result of a replay: counts, durations and differences. */
import type { Recording } from '../../journal/recording.ts';
import { formatCount, formatSpan } from '../../lib/format.ts';
import { cut, maxLineLength, toSeconds } from '../output/text.ts';
import type { Difference, ReplayResult } from './replay.ts';

/** Maximum number of listed differences of one recording, or of one part of it. The others are counted. */
export const maxDifferences = 20;

/** Formats a replay without differences. `ms`: how long it took. */
export function toIdentical({ begunAt, now }: Recording, { requests, callbacks }: ReplayResult, ms: number): string {
  const counts = `${formatCount(requests, 'request')}, ${formatCount(callbacks, 'callback')}`;
  const duration = toDuration(Date.parse(now) - Date.parse(begunAt));
  return `identical: ${counts}; replayed ${duration} of project time in ${toDuration(ms)}`;
}

/** Formats the differences, each with its request; those of one request share it. */
export function toDifferenceLines(differences: readonly Difference[]): readonly string[] {
  const shown = differences.slice(0, maxDifferences);
  const lines = shown.flatMap((difference, index) => {
    const isLast = !difference.request || shown[index + 1]?.request !== difference.request;
    return [...toValueLines(difference), ...(isLast ? toRequestLines(difference) : [])];
  });
  const hidden = differences.length - shown.length;
  return hidden > 0 ? [...lines, `and ${formatCount(hidden, 'more difference')}`] : lines;
}

/** Formats a difference on one line. */
export function toSummary({ part, request }: Difference): string {
  return `the ${part}${request ? ` in request ${request.id} (change ${request.n})` : ''} differs`;
}

function toValueLines({ part, recorded, replayed }: Difference): readonly string[] {
  const from = firstDifference(recorded, replayed);
  // The position is only needed if a text is cut.
  const where = Math.max(recorded.length, replayed.length) > maxLineLength ? `, from character ${from + 1}` : '';
  return [`different: the ${part}${where}`, `  recorded  ${cut(recorded, from)}`, `  replayed  ${cut(replayed, from)}`];
}

function toRequestLines({ request }: Difference): readonly string[] {
  if (!request) return [];
  const { n, at, id } = request;
  const { method, url, body = '' } = request.request;
  const lines = [`in request ${id} (change ${n}, ${at}):`, `  ${method} ${cut(url)}`];
  return body === '' ? lines : [...lines, `  ${cut(body)}`];
}

function firstDifference(recorded: string, replayed: string): number {
  let index = 0;
  while (index < recorded.length && recorded[index] === replayed[index]) index += 1;
  return index;
}

function toDuration(ms: number): string {
  return ms >= 1000 && ms < 60_000 ? toSeconds(ms) : formatSpan(ms);
}

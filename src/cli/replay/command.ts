/** `field-sandbox replay FILE`: replays a recording and prints the first difference. */

import { withoutControls } from '../../diagnostics/line-excerpt.ts';
import type { Recording } from '../../journal/recording.ts';
import { createWallClock, type WallClock } from '../../lib/time.ts';
import { count, printMistakes } from '../output/text.ts';
import type { Difference } from './compare.ts';
import { createRecordingReader } from './read.ts';
import { replayRecording } from './replay.ts';

/** Maximum length of a shown text, in characters. Longer texts are cut around their first difference. */
const maxShownLength = 300;

/** Minimum time between updates of the progress line, in milliseconds. */
const progressIntervalMs = 100;

/**
 * Replays a file. `showLine` writes the progress line; omit it without a terminal.
 * @returns 0 if the replay is identical, 1 if there is a difference, 2 if the file can't be replayed
 */
export async function runReplay(
  file: string,
  print: (text: string) => void,
  printError: (text: string) => void,
  showLine?: (text: string) => void,
  wall: WallClock = createWallClock(),
): Promise<number> {
  const read = await createRecordingReader().readFile(file);
  if ('mistakes' in read) return printMistakes(read.mistakes, printError);
  const { recording } = read;
  if (recording.changes.length === 0) return printMistakes([`${file}: ${toNothingToReplay(recording)}`], printError);
  const startedMs = wall.elapsed();
  const progress = createProgress(showLine, wall, recording.changes.length);
  const { requests, callbacks, difference } = await replayRecording(read, progress.at).finally(progress.end);
  if (difference) {
    print(toText(difference));
    return 1;
  }
  const duration = formatDuration(wall.elapsed() - startedMs);
  const counts = `${count(requests, 'request')}, ${count(callbacks, 'callback')}`;
  print(`identical: ${counts}; replayed ${formatDuration(getDurationMs(recording))} of project time in ${duration}\n`);
  return 0;
}

/** The sandbox also records a project that nobody has used, for example because its id is misspelled. */
function toNothingToReplay({ project }: Recording): string {
  const name = withoutControls(JSON.stringify(project));
  return `nothing to replay: project ${name} had received no requests or changes; check the project id, and record it after its first request`;
}

/** Creates a progress line that overwrites itself, and is cleared at the end. */
function createProgress(showLine: ((text: string) => void) | undefined, wall: WallClock, total: number) {
  let shownMs = wall.elapsed();
  let isShown = false;
  return {
    at: (replayed: number): void => {
      const nowMs = wall.elapsed();
      if (!showLine || nowMs - shownMs < progressIntervalMs) return;
      shownMs = nowMs;
      isShown = true;
      showLine(`\r${replayed.toLocaleString('en')} of ${count(total, 'change')} replayed`);
    },
    end: (): void => {
      if (isShown) showLine?.('\r\u001b[2K');
    },
  };
}

function getDurationMs({ begunAt, now }: Recording): number {
  return Date.parse(now) - Date.parse(begunAt);
}

const units = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'min', ms: 60_000 },
  { name: 's', ms: 1000 },
] as const;

/** Formats a duration in its two largest units. */
function formatDuration(ms: number): string {
  if (ms < 60_000) return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
  const first = units.findIndex((unit) => ms >= unit.ms);
  const [large, small] = units.slice(first, first + 2);
  const rest = Math.floor((ms % (large?.ms ?? 1)) / (small?.ms ?? 1));
  return `${Math.floor(ms / (large?.ms ?? 1))} ${large?.name}${rest > 0 ? ` ${rest} ${small?.name}` : ''}`;
}

function toText({ part, recorded, replayed, request }: Difference): string {
  const from = firstDifference(recorded, replayed);
  // The position is only needed if a text is cut.
  const where = Math.max(recorded.length, replayed.length) > maxShownLength ? `, from character ${from + 1}` : '';
  const lines = [
    `different: the ${part}${where}`,
    `  recorded  ${cut(recorded, from)}`,
    `  replayed  ${cut(replayed, from)}`,
  ];
  if (request) {
    const { n, at, id } = request;
    const { method, url, body = '' } = request.request;
    lines.push(`in request ${id} (change ${n}, ${at}):`, `  ${method} ${cut(url, 0)}`);
    if (body !== '') lines.push(`  ${cut(body, 0)}`);
  }
  return `${lines.join('\n')}\n`;
}

function firstDifference(recorded: string, replayed: string): number {
  let index = 0;
  while (index < recorded.length && recorded[index] === replayed[index]) index += 1;
  return index;
}

/** Cuts a text around a position, and removes control characters, because the recording may be untrusted. */
function cut(text: string, focus: number): string {
  const from = Math.max(0, Math.min(focus - maxShownLength / 3, text.length - maxShownLength));
  const shown = withoutControls(text.slice(from, from + maxShownLength));
  return `${from > 0 ? '…' : ''}${shown}${from + maxShownLength < text.length ? '…' : ''}`;
}

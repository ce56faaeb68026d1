/** `field-sandbox replay FILE`: plays a recording and shows the first difference. */
import { createWallClock, type WallClock } from '../base/time.ts';
import type { Recording } from '../journal/recording.ts';
import type { Difference } from '../replay/compare.ts';
import { play } from '../replay/play.ts';
import { createRecordingReader } from '../replay/read.ts';
import { printable } from './log.ts';

/** Longer texts are cut around the place where they part. */
const longestShown = 300;

/** How often the line that tells how far it is changes, in milliseconds. */
const everyMs = 100;

/**
 * `show` is given what stands on the terminal's line while it plays; nothing where there is no terminal.
 * @returns 0 where all was as recorded, 1 where something was not, 2 where the file can't be played
 */
export async function runReplay(
  file: string,
  print: (text: string) => void,
  complain: (text: string) => void,
  show?: (text: string) => void,
  wall: WallClock = createWallClock(),
): Promise<number> {
  const read = await createRecordingReader().readFile(file);
  if ('mistakes' in read) {
    complain(`${read.mistakes.join('\n')}\n`);
    return 2;
  }
  const { recording } = read;
  const startedMs = wall.elapsed();
  const progress = createProgress(show, wall, recording.changes.length);
  const { requests, callbacks, difference } = await play(read, progress.at).finally(progress.end);
  if (difference) {
    print(toText(difference));
    return 1;
  }
  const took = toLength(wall.elapsed() - startedMs);
  const counts = `${count(requests, 'request')}, ${count(callbacks, 'callback')}`;
  print(`identical: ${counts}; ${toLength(lengthOf(recording))} of the project played in ${took}\n`);
  return 0;
}

/** One line that is written over and over, and is gone in the end. */
function createProgress(show: ((text: string) => void) | undefined, wall: WallClock, total: number) {
  let shownMs = wall.elapsed();
  let isShown = false;
  return {
    at: (played: number): void => {
      const nowMs = wall.elapsed();
      if (!show || nowMs - shownMs < everyMs) return;
      shownMs = nowMs;
      isShown = true;
      show(`\r${played.toLocaleString('en')} of ${count(total, 'change')} played`);
    },
    end: (): void => {
      if (isShown) show?.('\r\u001b[2K');
    },
  };
}

function lengthOf({ begunAt, now }: Recording): number {
  return Date.parse(now) - Date.parse(begunAt);
}

const units = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'min', ms: 60_000 },
  { name: 's', ms: 1000 },
] as const;

/** A length of time in its two largest units. */
function toLength(ms: number): string {
  if (ms < 60_000) return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
  const first = units.findIndex((unit) => ms >= unit.ms);
  const [large, small] = units.slice(first, first + 2);
  const rest = Math.floor((ms % (large?.ms ?? 1)) / (small?.ms ?? 1));
  return `${Math.floor(ms / (large?.ms ?? 1))} ${large?.name}${rest > 0 ? ` ${rest} ${small?.name}` : ''}`;
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}

function toText({ what, recorded, played, request }: Difference): string {
  const from = firstDifference(recorded, played);
  // Of what is shown whole everybody sees where it parts.
  const where = Math.max(recorded.length, played.length) > longestShown ? `, from character ${from + 1} on` : '';
  const lines = [
    `different: the ${what}${where}`,
    `  recorded  ${cut(recorded, from)}`,
    `  played    ${cut(played, from)}`,
  ];
  if (request) {
    const { n, at, id } = request;
    const { method, url, body = '' } = request.request;
    lines.push(`of request ${id}, change ${n} at ${at}:`, `  ${method} ${cut(url, 0)}`);
    if (body !== '') lines.push(`  ${cut(body, 0)}`);
  }
  return `${lines.join('\n')}\n`;
}

function firstDifference(one: string, other: string): number {
  let place = 0;
  while (place < one.length && one[place] === other[place]) place += 1;
  return place;
}

/** A text on one line, which can't move the cursor either: a recording is somebody else's file. */
function cut(text: string, around: number): string {
  const from = Math.max(0, Math.min(around - longestShown / 3, text.length - longestShown));
  const shown = printable(text.slice(from, from + longestShown));
  return `${from > 0 ? '…' : ''}${shown}${from + longestShown < text.length ? '…' : ''}`;
}

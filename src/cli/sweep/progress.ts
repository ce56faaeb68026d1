/** Shows how far a sweep is: a line in a terminal, otherwise a few lines; and bad cases as they come. */
import { stripVTControlCharacters, styleText } from 'node:util';
import type { WallClock } from '../../lib/time.ts';
import type { SweepCase } from '../../sweep-report/report.ts';
import { isBad, verdicts } from '../../sweep-report/verdicts.ts';
import { type Io, printTo } from '../frame/io.ts';
import { showProgress } from '../output/progress.ts';
import { count, cut } from '../output/text.ts';
import type { SweepRequest } from './sweep.ts';

/** Shares of the cases after which a line is printed without a terminal. */
const reportedShare = 0.1;

/** Starts to show the progress of a sweep of this command. */
export function createProgress(
  { stderr, env }: Pick<Io, 'stderr' | 'env'>,
  wall: WallClock,
  command: string,
): { readonly events: Pick<SweepRequest, 'began' | 'done'>; readonly hide: () => void } {
  const printError = printTo(stderr);
  let total = 0;
  let done = 0;
  let bad = 0;
  let startedMs = wall.elapsed();
  let nextReport = 0;
  const isTerminal = stderr.isTTY === true;

  function toText(): string {
    if (total === 0) return `field-sandbox: baseline of ${command}, ${toDuration(wall.elapsed() - startedMs)}`;
    const elapsedMs = wall.elapsed() - startedMs;
    const perSecond = done / Math.max(0.001, elapsedMs / 1000);
    const left =
      done === 0 ? '' : `, ${perSecond.toFixed(1)} per second, ${toDuration((elapsedMs / done) * (total - done))} left`;
    return `field-sandbox: ${done} of ${count(total, 'case')}${left}, ${bad} bad`;
  }

  printError(`field-sandbox sweep: ${command}\n`);
  const hide = showProgress(stderr, wall, toText, env['TERM']);
  return {
    hide,
    events: {
      began: (baseline, cases, levels) => {
        const requests = count(baseline.runs[0]?.requests.length ?? 0, 'request');
        const uses = count(baseline.operations.size, 'operation');
        printError(
          `baseline: ${requests} to ${uses}, ${toDuration(baseline.durationMs)}; records compared by ${levelTexts[levels.records]}\n`,
        );
        if (baseline.remark !== undefined) printError(`${cut(baseline.remark)}\n`);
        printError(`${count(cases.length, 'case')}, ${baseline.jobs} at a time\n`);
        total = cases.length;
        startedMs = wall.elapsed();
        nextReport = total * reportedShare;
      },
      done: (one: SweepCase) => {
        done += 1;
        if (isBad(one.verdict) && one.sameAs === undefined) {
          bad += 1;
          const mark = styleText('red', verdicts[one.verdict].symbol, { stream: stderr });
          printError(
            `${isTerminal ? mark : stripVTControlCharacters(mark)} ${cut(`${one.case} ${one.verdict}: ${one.detail}`)}\n`,
          );
        }
        if (isTerminal || done < nextReport || done === total) return;
        nextReport += total * reportedShare;
        printError(`${toText()}\n`);
      },
    },
  };
}

const levelTexts = {
  exact: 'id and content',
  content: 'content, because ids differ from run to run',
  numbers: 'number, because their content differs from run to run',
  none: 'nothing, because even their numbers differ from run to run; only exit codes count',
} as const;

function toDuration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')} min`;
}

/** Says what a sweep is going to run and how long that may take, and shows how far it is. */

import { formatCount } from '../../lib/format.ts';
import type { WallClock } from '../../lib/time.ts';
import type { FailureCase } from '../../scenarios/cases.ts';
import { isBad } from '../../sweep-report/verdicts.ts';
import { type Io, printTo } from '../frame/io.ts';
import { cut, toSeconds } from '../output/text.ts';
import { showLine } from '../trial/progress.ts';
import { describeTimes, estimate } from './estimate.ts';
import type { SweepRequest } from './sweep.ts';

/** Starts to show the progress of a sweep of this command. */
export function createProgress(
  io: Pick<Io, 'stderr' | 'env'>,
  wall: WallClock,
  command: string,
): { readonly events: Pick<SweepRequest, 'began' | 'waits' | 'done'>; readonly hide: () => void } {
  const startedMs = wall.elapsed();
  const left = new Map<string, FailureCase>();
  const waiting = new Set<string>();
  let bad = 0;
  let toText = (): string => `field-sandbox: baseline of ${command}, ${toSeconds(wall.elapsed() - startedMs)}`;
  printTo(io.stderr)(`field-sandbox sweep: ${command}\n`);
  const line = showLine(io, wall, () => toText());
  return {
    hide: line.hide,
    events: {
      began: (baseline, cases, limitMs) => {
        const { jobs, durationMs, level, runs, operations, remark } = baseline;
        const facts = { jobs, durationMs, limitMs, runs: 1 };
        const uses = `${formatCount(runs[0]?.requests.length ?? 0, 'request')} to ${formatCount(operations.size, 'operation')}`;
        const where = formatCount(new Set(cases.map(({ operation }) => operation)).size, 'operation');
        const what = `${formatCount(cases.length, 'case')} of ${where}, ${jobs} at a time, bad ones twice`;
        for (const one of cases) left.set(one.id, one);
        toText = () => {
          const waits = waiting.size > 0 ? `, ${waiting.size} waiting for the client` : '';
          const rest = estimate([...left.values()], facts);
          return `field-sandbox: ${cases.length - left.size} of ${cases.length}, ${bad} bad${waits}, ${rest} left`;
        };
        line.print(
          `baseline: ${uses}, ${toSeconds(durationMs)}; records compared by ${levelTexts[level]}\n` +
            `${remark === undefined ? '' : `${cut(remark)}\n`}${describeTimes(what, cases, facts)}`,
        );
      },
      waits: (id, isWaiting) => {
        if (isWaiting) waiting.add(id);
        else waiting.delete(id);
      },
      done: ({ case: id, verdict, sameAs }) => {
        left.delete(id);
        if (isBad(verdict) && sameAs === undefined) bad += 1;
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

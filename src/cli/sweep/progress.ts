/** Says what a sweep is going to run and how long that may take, and shows how far it is. */
import type { WallClock } from '../../lib/time.ts';
import { isBad } from '../../sweep-report/verdicts.ts';
import { type Io, printTo } from '../frame/io.ts';
import { count, cut } from '../output/text.ts';
import { showLine } from '../trial/progress.ts';
import { type CostFacts, estimateMs, toCosts } from './estimate.ts';
import type { SweepRequest } from './sweep.ts';

/** Starts to show the progress of a sweep of this command. */
export function createProgress(
  io: Pick<Io, 'stderr' | 'env'>,
  wall: WallClock,
  command: string,
): { readonly events: Pick<SweepRequest, 'began' | 'done'>; readonly hide: () => void } {
  const printError = printTo(io.stderr);
  const startedMs = wall.elapsed();
  let toText = (): string => `field-sandbox: baseline of ${command}, ${toDuration(wall.elapsed() - startedMs)}`;
  printError(`field-sandbox sweep: ${command}\n`);
  let hide = showLine(io, wall, () => toText());
  let done: SweepRequest['done'] = () => undefined;
  return {
    hide: () => hide(),
    events: {
      began: (baseline, cases, limitMs) => {
        hide();
        const { jobs, durationMs, level } = baseline;
        const costs = { jobs, durationMs, limitMs };
        const requests = count(baseline.runs[0]?.requests.length ?? 0, 'request');
        const uses = count(baseline.operations.size, 'operation');
        printError(
          `baseline: ${requests} to ${uses}, ${toDuration(durationMs)}; records compared by ${levelTexts[level]}\n`,
        );
        if (baseline.remark !== undefined) printError(`${cut(baseline.remark)}\n`);
        printError(describeCosts(cases, costs));
        const left = new Map(cases.map((one) => [one.id, one]));
        let bad = 0;
        toText = () => {
          const rest = toDuration(estimateMs([...left.values()], costs));
          return `field-sandbox: ${cases.length - left.size} of ${count(cases.length, 'case')}, ${bad} bad, about ${rest} left`;
        };
        done = ({ case: id, verdict, sameAs }) => {
          left.delete(id);
          if (isBad(verdict) && sameAs === undefined) bad += 1;
        };
        hide = showLine(io, wall, () => toText());
      },
      done: (one) => done(one),
    },
  };
}

/** Maximum number of kinds to name in a line. */
const maxKinds = 6;

/** Formats the number of cases, their time in all, and what each kind takes. */
function describeCosts(cases: Parameters<typeof estimateMs>[0], facts: CostFacts): string {
  const operations = new Set(cases.map(({ operation }) => operation)).size;
  const rows = toCosts(cases, facts).map(({ ms, count: number, kinds }, index) => {
    const waits = ms > facts.durationMs;
    const more = kinds.length - maxKinds;
    const named = `${kinds.slice(0, maxKinds).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
    return `  ${number} × ${waits ? 'up to ' : ''}${toDuration(ms)}: ${index === 0 && more > 0 ? count(kinds.length, 'kind') : named}`;
  });
  const total = toDuration(estimateMs(cases, facts));
  const head = `${count(cases.length, 'case')} of ${count(operations, 'operation')}, ${facts.jobs} at a time: about ${total}`;
  return `${[head, ...rows].join('\n')}\n`;
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

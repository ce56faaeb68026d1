/** The report of a soak test: a line every few seconds, and a table at the end. */
import type { Tally } from './client.ts';
import type { Findings } from './findings.ts';
import type { Followers } from './followers.ts';
import type { Projects } from './projects.ts';
import type { Receiver } from './receiver.ts';
import { toMb } from './verdict.ts';
import type { Watch } from './watch.ts';

const everyMs = 5000;

interface Shown {
  readonly tally: Tally;
  readonly receiver: Receiver;
  readonly findings: Findings;
  readonly watch: Watch;
  outstanding(): number;
  write(line: string): void;
}

/** Prints the progress every few seconds. Returns a function that stops it. */
export function showProgress({ tally, receiver, findings, watch, outstanding, write }: Shown): () => void {
  const beganAt = performance.now();
  let before = tally.sent;
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - beganAt) / 1000);
    const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    const perSecond = ((tally.sent - before) / everyMs) * 1000;
    before = tally.sent;
    const { rss = 0, heapUsed = 0, lagMost = 0 } = watch.samples.at(-1) ?? {};
    const live = watch.live.at(-1);
    const memory = `${toMb(rss)} resident, heap ${toMb(heapUsed)}${live ? `, ${toMb(live.bytes)} alive` : ''}`;
    const callbacks = `${receiver.count()} callbacks, ${outstanding()} outstanding`;
    const wrong = findings.total() > 0 ? ` | ${findings.total()} FAULTS` : '';
    const lag = `lag ${lagMost.toFixed(0)} ms`;
    write(
      `${clock.padStart(5)} | ${perSecond.toFixed(0)}/s, ${before} sent | ${memory} | ${lag} | ${callbacks}${wrong}`,
    );
  }, everyMs);
  return () => clearInterval(timer);
}

interface Summary {
  readonly tally: Tally;
  readonly receiver: Receiver;
  readonly ended: Projects['ended'];
  readonly followers: Pick<Followers, 'count'>;
}

/** Returns the lines of the table: requests, responses and callbacks. */
export function toTable({ tally, receiver, ended, followers }: Summary): readonly string[] {
  const rows = new Map<string, string[]>();
  for (const [key, count] of [...tally.met].toSorted()) {
    const [, kind = '', status = ''] = /^(.*) (\w+)$/.exec(key) ?? [];
    rows.set(kind, [...(rows.get(kind) ?? []), `${status} × ${count}`]);
  }
  return [
    '',
    ...[...rows].map(([kind, statuses]) => `  ${kind.padEnd(32)} ${statuses.join(', ')}`),
    '',
    `${tally.sent} requests; ${followers.count()} events received`,
    `${receiver.count()} callbacks, ${receiver.refused()} rejected at first; ${ended.dropped} dropped by scenarios`,
    `${ended.peacefully} lives of projects ended after all callbacks, ${ended.cut} by a reset in the middle`,
  ];
}

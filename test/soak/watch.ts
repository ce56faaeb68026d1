/** Watches the program from within, once a second: resident memory, the lag of its event loop; now and then what is alive. */
import { setTimeout as pass } from 'node:timers/promises';
import type { Inspector } from './inspector.ts';

/** What was seen at one second. */
export interface Sample {
  /** Seconds since the watch began. */
  readonly at: number;
  readonly rss: number;
  /** Processor time since its start, in milliseconds, and requests so far. */
  readonly processorMs: number;
  readonly sent: number;
  /** The longest that the event loop was held up in this second, in milliseconds. */
  readonly lagMost: number;
}

export interface Watch {
  readonly samples: readonly Sample[];
  /** What was alive after a collection, in bytes, and when. */
  readonly live: readonly { readonly at: number; readonly bytes: number }[];
  /** Collects at once, and weighs what is alive. */
  weigh(): Promise<number>;
  stop(): Promise<void>;
}

type Seen = Omit<Sample, 'at' | 'sent'>;

const begin = `(globalThis.soakLag = process.getBuiltinModule('node:perf_hooks')
  .monitorEventLoopDelay({ resolution: 10 }), soakLag.enable(), 0)`;
const look = `(() => {
  const { user, system } = process.cpuUsage();
  const { rss } = process.memoryUsage();
  const seen = { rss, processorMs: (user + system) / 1000, lagMost: soakLag.max / 1e6 };
  soakLag.reset();
  return seen;
})()`;
const forgetLag = '(soakLag.reset(), 0)';

/** Watches until it is stopped; what is alive is weighed every so many seconds. */
export async function startWatch(
  inspector: Inspector,
  tally: { readonly sent: number },
  weighEveryS: number,
): Promise<Watch> {
  const samples: Sample[] = [];
  const live: { at: number; bytes: number }[] = [];
  const beganAt = performance.now();
  const now = (): number => (performance.now() - beganAt) / 1000;
  let isStopped = false;
  await inspector.evaluate(begin);

  async function weigh(): Promise<number> {
    const bytes = (await inspector.liveHeap()) + (await inspector.evaluate<number>('process.memoryUsage().external'));
    // The pause of this collection is ours, not the program's.
    await pass(50);
    await inspector.evaluate(forgetLag);
    return bytes;
  }

  async function run(): Promise<void> {
    let weighAt = weighEveryS / 2;
    while (!isStopped) {
      await pass(1000);
      samples.push({ at: now(), sent: tally.sent, ...(await inspector.evaluate<Seen>(look)) });
      if (now() < weighAt) continue;
      weighAt += weighEveryS;
      live.push({ at: now(), bytes: await weigh() });
    }
  }

  const running = run();
  return {
    samples,
    live,
    weigh,
    stop: () => {
      isStopped = true;
      return running;
    },
  };
}

export const toMb = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MB`;

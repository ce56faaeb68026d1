/** Keeps the callbacks that a receiver was sent, and waits for more of them. */
import { didYouMean } from '../base/nearest.ts';
import type { WallClock } from '../base/time.ts';
import { toCount } from './missed.ts';
import type { ReceivedCallback, ReceivedFilter } from './received-callback.ts';
import { createSandboxError, type SandboxError } from './sandbox-error.ts';
import { checkWait, toWords, type Wait } from './waiting.ts';

/** What came to a receiver. */
export interface Arrivals {
  /** Everything so far; more is added to it. */
  readonly all: readonly ReceivedCallback[];
  add(callback: ReceivedCallback): void;
  /** All that match, once there are enough. `url`: of the receiver, for messages. */
  waitFor(url: string, wanted: ReceivedFilter & Wait): Promise<readonly ReceivedCallback[]>;
  /** Fails what is waited for, now and later. */
  end(error: SandboxError): void;
}

const wishes = ['type', 'verified', 'count', 'timeout'];

export function createArrivals(wall: WallClock): Arrivals {
  const all: ReceivedCallback[] = [];
  const waiting = new Set<() => void>();
  let ended: SandboxError | undefined;
  const look = (): void => {
    for (const one of waiting) one();
  };

  async function waitFor(url: string, wanted: ReceivedFilter & Wait): Promise<readonly ReceivedCallback[]> {
    const unknown = Object.keys(wanted).find((name) => !wishes.includes(name));
    if (unknown) throw createSandboxError(`waitFor: there is no "${unknown}"${didYouMean(unknown, wishes)}`);
    const { count, timeoutMs } = checkWait(wanted);
    const fitting = () => all.filter((callback) => fits(callback, wanted));
    return new Promise((resolve, reject) => {
      const settle = (done: () => void): void => {
        waiting.delete(check);
        cancel();
        done();
      };
      const cancel = wall.after(timeoutMs, () =>
        settle(() => reject(createSandboxError(explain(url, wanted, count, timeoutMs, all)))),
      );
      const check = (): void => {
        const found = fitting();
        if (found.length >= count) settle(() => resolve(found));
        else if (ended) settle(() => reject(ended));
      };
      waiting.add(check);
      check();
    });
  }

  return {
    all,
    waitFor,
    add: (callback) => {
      all.push(callback);
      look();
    },
    end: (error) => {
      ended = error;
      look();
    },
  };
}

function fits(callback: ReceivedCallback, { type, verified = true }: ReceivedFilter): boolean {
  return callback.verified === verified && (type === undefined || callback.type === type);
}

/** What was waited for in vain, and what came instead. */
function explain(
  url: string,
  { type, verified = true }: ReceivedFilter,
  count: number,
  timeoutMs: number,
  all: readonly ReceivedCallback[],
): string {
  const wanted = `${toCount(count, 'callback')}${type === undefined ? '' : ` of type ${type}`}`;
  const head = `waited ${toWords(timeoutMs)} for ${wanted}${verified ? '' : ', not verified,'} at ${url}`;
  const came = new Map<string, number>();
  for (const { type: of, refusal } of all) {
    const kind = `of type ${of || '(none)'}${refusal === undefined ? '' : `, not verified: ${refusal}`}`;
    came.set(kind, (came.get(kind) ?? 0) + 1);
  }
  return `${head}; came: ${[...came].map(([kind, times]) => `${times} ${kind}`).join('; ') || 'nothing'}`;
}

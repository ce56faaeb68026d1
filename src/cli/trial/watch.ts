/** Watches the requests of a command: ends it at its limits, and says when it waits for the sandbox. */
import type { JournalEntry } from '../../journal/entry.ts';
import type { WallClock } from '../../lib/time.ts';
import type { RunningSandbox } from '../../server.ts';
import type { Child } from './child.ts';
import { imposedMs, judgeTime, retryAfterMs, slowMs } from './time-limit.ts';

/** The limits of a command, and what its waits are reported to. */
export interface Limits {
  readonly wall: WallClock;
  /** Time after which the command is ended, without what the sandbox imposes, in milliseconds. Default: unlimited. */
  readonly limitMs?: number;
  /** Ends the command if it sends more requests of an operation. Default: unlimited. */
  readonly maxRequests?: (operation: string) => number;
  /** Ends the command when it is aborted. */
  readonly signal: AbortSignal;
  /** Called when the command begins to wait for a delayed response or the end of a `retry-after`, and when it goes on. */
  readonly onWait?: (isWaiting: boolean) => void;
}

/** How the command ended: by itself, or because it was ended for this reason. */
export type TrialEnd = 'exited' | 'hung' | 'retrying' | 'storm' | 'aborted';

/** A request that was sent again before the time that `retry-after` had asked for. */
export interface EarlyRetry {
  /** The request whose response asked to wait. */
  readonly entry: JournalEntry;
  readonly askedMs: number;
  /** How long the client waited. */
  readonly waitedMs: number;
}

/** A slow response for whose end the client waited. */
export interface WaitedOut {
  readonly entry: JournalEntry;
  readonly waitedMs: number;
}

/** What was seen of a command that has ended. */
export interface Watched {
  readonly end: TrialEnd;
  /** The last request, if the command still waited for its response when it was ended. */
  readonly unanswered: JournalEntry | undefined;
  /** Time since its last request when it ended, in milliseconds. */
  readonly quietMs: number;
  readonly requests: readonly JournalEntry[];
  readonly early: readonly EarlyRetry[];
  readonly waitedOut: WaitedOut | undefined;
}

/** How often the limits are checked, in milliseconds. */
const tickMs = 100;

/** By how much a retry may be early, in milliseconds: clocks of clients may be coarse. */
const toleranceMs = 100;

export class Watch {
  readonly #sandbox: RunningSandbox;
  readonly #limits: Limits;
  readonly #requests: JournalEntry[] = [];
  readonly #counts = new Map<string, number>();
  readonly #asked: { readonly entry: JournalEntry; readonly text: string; readonly sentMs: number }[] = [];
  readonly #early: EarlyRetry[] = [];
  readonly #startedMs: number;
  #lastRequestMs: number;
  /** Number of requests at the last check. */
  #checked = 0;
  #imposedMs = 0;
  #isStorm = false;
  #isWaiting = false;
  #end: TrialEnd = 'exited';
  #unanswered: JournalEntry | undefined;
  #waitedOut: WaitedOut | undefined;
  #cancel = (): void => undefined;

  constructor(sandbox: RunningSandbox, limits: Limits) {
    this.#sandbox = sandbox;
    this.#limits = limits;
    this.#startedMs = limits.wall.elapsed();
    this.#lastRequestMs = this.#startedMs;
    sandbox.journal.subscribe((entry) => this.#add(entry));
  }

  /** Starts to check the limits of the command. */
  start(child: Child): void {
    this.#cancel = this.#limits.wall.after(tickMs, () => this.#tick(child));
  }

  /** Call it when the command has ended. */
  stop(): Watched {
    this.#cancel();
    this.#tell(false);
    const quietMs = this.#limits.wall.elapsed() - this.#lastRequestMs;
    const [end, unanswered, requests, early] = [this.#end, this.#unanswered, this.#requests, this.#early];
    return { end, unanswered, quietMs, requests, early, waitedOut: this.#waitedOut };
  }

  #add(entry: JournalEntry): void {
    const { maxRequests, wall } = this.#limits;
    const { operation } = entry;
    // What belongs to no operation, such as a health check, is in no baseline either.
    if (operation !== undefined) {
      const count = (this.#counts.get(operation) ?? 0) + 1;
      this.#counts.set(operation, count);
      this.#isStorm ||= maxRequests !== undefined && count > maxRequests(operation);
    }
    this.#requests.push(entry);
    this.#imposedMs += imposedMs(entry);
    this.#lastRequestMs = wall.elapsed();
    this.#findEarly(entry);
  }

  /** Only the same request again is a retry: others may be in parallel. */
  #findEarly(entry: JournalEntry): void {
    const askedMs = retryAfterMs(entry);
    if (this.#asked.length === 0 && askedMs === 0) return;
    const now = this.#lastRequestMs;
    const text = `${entry.method} ${entry.url}\n${entry.requestBody?.read().shown ?? ''}`;
    for (const { entry: first, text: other, sentMs } of this.#asked) {
      const waitedMs = now - entry.durationMs - sentMs;
      const isEarly = waitedMs >= 0 && waitedMs + toleranceMs < retryAfterMs(first);
      if (isEarly && text === other) this.#early.push({ entry: first, askedMs: retryAfterMs(first), waitedMs });
    }
    // A client that gave up a slow response has not read when it may come back.
    if (askedMs > 0 && entry.fault === undefined) this.#asked.push({ entry, text, sentMs: now });
  }

  /** The response may end between two checks. */
  #findWaitedOut(): void {
    const entry = this.#requests.at(-1);
    const waitedMs = this.#limits.wall.elapsed() - this.#lastRequestMs;
    if (entry?.fault !== 'drip' || !this.#isHeld() || waitedMs + 2 * tickMs < slowMs(entry)) return;
    this.#waitedOut = { entry, waitedMs };
  }

  #tick(child: Child): void {
    this.#findWaitedOut();
    const found = this.#check();
    if (found) {
      this.#end = found;
      if (found === 'hung' && this.#isHeld()) this.#unanswered = this.#requests.at(-1);
      child.end();
      return;
    }
    this.#tell(this.#waits());
    this.#checked = this.#requests.length;
    this.start(child);
  }

  #check(): TrialEnd | undefined {
    const { signal, limitMs, wall } = this.#limits;
    if (signal.aborted) return 'aborted';
    if (this.#isStorm) return 'storm';
    if (limitMs === undefined) return undefined;
    const now = wall.elapsed();
    return judgeTime({
      overMs: now - this.#startedMs - limitMs - this.#imposedMs,
      quietMs: now - this.#lastRequestMs,
    });
  }

  /** Whether the response to the last request is held back, and its connection is still open. */
  #isHeld(): boolean {
    const { id = '', project } = this.#requests.at(-1) ?? {};
    return project !== undefined && this.#sandbox.projects.peek(project)?.holdsResponse(id) === true;
  }

  /** Whether the command has sent nothing since the last check, and waits for what the sandbox imposes. */
  #waits(): boolean {
    const last = this.#requests.at(-1);
    if (this.#requests.length > this.#checked) return false;
    const isAsked = last !== undefined && this.#limits.wall.elapsed() - this.#lastRequestMs < retryAfterMs(last);
    return isAsked || this.#isHeld() || this.#sandbox.projects.list().some((one) => one.delayedRequests.size > 0);
  }

  #tell(isWaiting: boolean): void {
    if (isWaiting !== this.#isWaiting) this.#limits.onWait?.(isWaiting);
    this.#isWaiting = isWaiting;
  }
}

/** Subscribes to the events: one subscriber for the whole time, which must receive all in order, and others that reconnect. */
import { setTimeout as pass } from 'node:timers/promises';
import { request } from 'undici';
import type { Findings } from './findings.ts';

export interface Followers {
  /** Returns the number of events that the permanent subscriber received. */
  count(): number;
  stop(): Promise<void>;
}

/** How long the others stay connected. */
const stayMs = 700;

/** Follows the events of a sandbox until it is stopped. */
export function follow(url: string, findings: Findings): Followers {
  const leaving = new AbortController();
  let count = 0;
  let latest: string | undefined;

  function take(id: string): void {
    const number = Number(id.split('-')[1]);
    const before = Number(latest?.split('-')[1] ?? number - 1);
    if (number !== before + 1) findings.found('events', () => `event ${id} arrived after ${latest}`);
    latest = id;
    count += 1;
  }

  async function stay(): Promise<void> {
    for await (const id of readIds(url, leaving.signal)) take(id);
    if (!leaving.signal.aborted) findings.found('events', () => `the events ended after ${latest}`);
  }

  async function comeAndGo(): Promise<void> {
    while (!leaving.signal.aborted) {
      await visit();
      await pass(stayMs);
    }
  }

  async function visit(): Promise<void> {
    // Not AbortSignal.any() with a timeout: Node 20 may collect that signal, and then no subscriber disconnects.
    const going = new AbortController();
    const go = (): void => going.abort();
    const timer = setTimeout(go, stayMs);
    leaving.signal.addEventListener('abort', go);
    let before: number | undefined;
    for await (const id of readIds(url, going.signal, latest)) {
      const number = Number(id.split('-')[1]);
      if (before !== undefined && number !== before + 1)
        findings.found('events', () => `a subscriber that reconnected received ${id} after ${before}`);
      before = number;
    }
    clearTimeout(timer);
    leaving.signal.removeEventListener('abort', go);
  }

  const following = Promise.all([stay(), comeAndGo()]);
  return {
    count: () => count,
    stop: async () => {
      leaving.abort();
      await following;
    },
  };
}

/** The ids of events as they come, until the signal. */
async function* readIds(url: string, signal: AbortSignal, lastId?: string): AsyncGenerator<string> {
  const headers = lastId === undefined ? {} : { 'last-event-id': lastId };
  try {
    const { body } = await request(`${url}/_sandbox/events`, { headers, signal, bodyTimeout: 0 });
    let rest = '';
    for await (const chunk of body.setEncoding('utf8')) {
      const events = (rest + chunk).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) {
        const [, id] = /^id: (\S+)$/m.exec(event) ?? [];
        if (id !== undefined && event.includes('\ndata: ')) yield id;
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

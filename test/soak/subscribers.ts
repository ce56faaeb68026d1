/** Subscribes to the events: one subscriber for the whole time, which must receive all in order, and others that reconnect. */
import { setTimeout as pass } from 'node:timers/promises';
import { type EventReader, readEvents } from '../harness/event-reader.ts';

/** How long the others stay connected. */
const stayMs = 700;

/** Reads the events of a sandbox until it is stopped. */
export function startSubscribers(url: string, violate: (text: string) => void): { stop(): Promise<void> } {
  const events = `${url}/_sandbox/events`;
  let isStopping = false;
  let latest: string | undefined;
  let permanent: EventReader | undefined;

  /** Checks that no event is missing, until the stream ends. */
  async function check(reader: EventReader, who: string, note: (id: string) => void = () => undefined): Promise<void> {
    let before: number | undefined;
    for (;;) {
      const [event] = await reader.take(1).catch(() => []);
      if (!event) return;
      const number = Number(event.id.split('-')[1]);
      if (before !== undefined && number !== before + 1) violate(`${who} received event ${number} after ${before}`);
      before = number;
      note(event.id);
    }
  }

  async function stay(): Promise<void> {
    permanent = await readEvents(events);
    await check(permanent, 'the permanent subscriber', (id) => {
      latest = id;
    });
    if (!isStopping) violate(`the events ended after ${latest}`);
  }

  async function comeAndGo(): Promise<void> {
    while (!isStopping) {
      const reader = await readEvents(events, latest);
      setTimeout(reader.leave, stayMs);
      await check(reader, 'a subscriber that reconnected');
      await pass(stayMs);
    }
  }

  const reading = Promise.all([stay(), comeAndGo()]);
  return {
    stop: async () => {
      isStopping = true;
      permanent?.leave();
      await reading;
    },
  };
}

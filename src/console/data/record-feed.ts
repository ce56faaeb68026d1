/** Keeps what is shown of a project's records up to date, also with what is accepted now and carried out later. */
import type { PageElement } from '../element.ts';
import { ask, ofProject, type Schemas } from './client.ts';
import { listen } from './events.ts';
import { type Fresh, keepFresh } from './fresh.ts';

/** A little later than it is due, so that it is done. */
const marginMs = 50;

/** What is due later is asked for again when something happens. */
const longestMs = 3_600_000;

/** Calls `load` after whatever may have changed the records of `project`, for as long as the element is in the page. */
export function followRecords(
  host: PageElement,
  project: () => string | undefined,
  load: () => Promise<void>,
): Pick<Fresh, 'now'> {
  let endListening = (): void => undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const fresh = keepFresh(async () => {
    await load();
    await planNext();
  });

  /** No event tells that an accepted instruction was carried out, but when it will be is known. */
  async function planNext(): Promise<void> {
    const name = project();
    clearTimeout(timer);
    const ms =
      name === undefined || !host.isConnected ? undefined : await untilInstruction(name).catch(() => undefined);
    if (ms !== undefined && ms < longestMs && host.isConnected) timer = setTimeout(fresh.soon, ms + marginMs);
  }

  const isOurs = (name: string | null): boolean => name === null || name === project();
  host.addController({
    hostConnected: () => {
      endListening = listen({
        request: ({ project: name, operation }) => operation !== null && name !== null && isOurs(name) && fresh.soon(),
        change: ({ project: name, what }) =>
          isOurs(name) && ['reset', 'clock', 'snapshot'].includes(what) && fresh.soon(),
        missed: fresh.soon,
      });
    },
    hostDisconnected: () => {
      endListening();
      fresh.end();
      clearTimeout(timer);
    },
  });
  return fresh;
}

/** How long until the next instruction is carried out; undefined where none is, or the clock stands. */
async function untilInstruction(project: string): Promise<number | undefined> {
  const clock = await ask<Schemas['Clock']>('GET', ofProject(project, '/clock'));
  if (clock.mode !== 'real' || clock.pending === 0) return undefined;
  const { items } = await ask<Schemas['PendingPage']>('GET', ofProject(project, '/pending?limit=1000'));
  const next = items.find(({ kind }) => kind === 'instruction');
  return next && Math.max(0, Date.parse(next.dueAt) - Date.parse(clock.now));
}

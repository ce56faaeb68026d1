/** Reloads an element's data of a project after events that may have changed it. */
import type { PageElement } from '../element.ts';
import { type EventHandlers, listen } from './events.ts';
import { createReloader, type Reloader } from './reloader.ts';

/**
 * `handlers` receives the function that schedules a reload, and returns the events to handle. After a gap the element
 * always reloads.
 */
export function followProject(
  host: PageElement,
  handlers: (soon: () => void) => Partial<EventHandlers>,
  load: () => Promise<void>,
): Reloader {
  const reloader = createReloader(load);
  let removeHandlers = (): void => undefined;
  host.addController({
    hostConnected: () => {
      removeHandlers = listen({ missed: reloader.soon, ...handlers(reloader.soon) });
    },
    hostDisconnected: () => {
      removeHandlers();
      reloader.end();
    },
  });
  return reloader;
}

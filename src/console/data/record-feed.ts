/** Keeps a view of a project's records up to date, including changes by deferred commands. */
import type { PageElement } from '../element.ts';
import { listen } from './events.ts';
import { createReloader, type Reloader } from './reloader.ts';

/** Calls `load` after every event that may have changed the records of `project`, while the element is in the page. */
export function followRecords(
  host: PageElement,
  project: () => string | undefined,
  load: () => Promise<void>,
): Pick<Reloader, 'now'> {
  let removeHandlers = (): void => undefined;
  const reloader = createReloader(load);
  const isShown = (name: string | null): boolean => name === null || name === project();
  host.addController({
    hostConnected: () => {
      removeHandlers = listen({
        request: ({ project: name, operation }) =>
          operation !== null && name !== null && isShown(name) && reloader.soon(),
        change: ({ project: name, what }) => isShown(name) && ['reset', 'snapshot'].includes(what) && reloader.soon(),
        records: ({ project: name }) => isShown(name) && reloader.soon(),
        missed: reloader.soon,
      });
    },
    hostDisconnected: () => {
      removeHandlers();
      reloader.end();
    },
  });
  return reloader;
}

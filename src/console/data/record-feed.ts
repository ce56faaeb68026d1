/** Keeps what is shown of a project's records up to date, also with what is carried out after its answer. */
import type { PageElement } from '../element.ts';
import { listen } from './events.ts';
import { type Fresh, keepFresh } from './fresh.ts';

/** Calls `load` after whatever may have changed the records of `project`, for as long as the element is in the page. */
export function followRecords(
  host: PageElement,
  project: () => string | undefined,
  load: () => Promise<void>,
): Pick<Fresh, 'now'> {
  let endListening = (): void => undefined;
  const fresh = keepFresh(load);
  const isOurs = (name: string | null): boolean => name === null || name === project();
  host.addController({
    hostConnected: () => {
      endListening = listen({
        request: ({ project: name, operation }) => operation !== null && name !== null && isOurs(name) && fresh.soon(),
        change: ({ project: name, what }) => isOurs(name) && ['reset', 'snapshot'].includes(what) && fresh.soon(),
        records: ({ project: name }) => isOurs(name) && fresh.soon(),
        missed: fresh.soon,
      });
    },
    hostDisconnected: () => {
      endListening();
      fresh.end();
    },
  });
  return fresh;
}

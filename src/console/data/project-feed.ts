/** Loads what an element shows of a project whenever something was told that may have changed it. */
import type { PageElement } from '../element.ts';
import { listen, type Told } from './events.ts';
import { type Fresh, keepFresh } from './fresh.ts';

/** `told` gets what plans another load, and says at which events it is wanted; after a gap it always is. */
export function followProject(
  host: PageElement,
  told: (soon: () => void) => Partial<Told>,
  load: () => Promise<void>,
): Fresh {
  const fresh = keepFresh(load);
  let endListening = (): void => undefined;
  host.addController({
    hostConnected: () => {
      endListening = listen({ missed: fresh.soon, ...told(fresh.soon) });
    },
    hostDisconnected: () => {
      endListening();
      fresh.end();
    },
  });
  return fresh;
}

/** Makes the callbacks that a receiver is checked with: the messages of the sandbox, each with an id of its own. */
import { createHash } from '../base/random.ts';
import type { WallClock } from '../base/time.ts';
import { type CallbackType, createCallback } from '../callbacks/callback.ts';
import { toSent } from '../callbacks/spoil.ts';
import type { About, Letter } from './check.ts';

/** Every type of callback, and an operation that tells by it. No operation tells of routes that were changed, so far. */
const operations: Readonly<Record<CallbackType, string>> = {
  'jobs.import.failed': 'asyncImportJobs',
  'jobs.update.failed': 'asyncUpdateJobs',
  'routes.import.failed': 'asyncImportRoutes',
  'routes.update.failed': 'asyncImportRoutes',
  'orders.import.failed': 'asyncImportOrders',
  'orders.update.failed': 'asyncUpdateOrder',
};

export const callbackTypes: readonly CallbackType[] = Object.keys(operations) as CallbackType[];

/** The project that all callbacks are of, so that whoever finds one in a database knows where it came from. */
const usualProject = 'verify-receiver';

/**
 * Gives a maker of letters. Their ids come from the instant, too: a receiver remembers those of an earlier run, and
 * would take these for sent again.
 */
export function createLetters(wall: WallClock): (type: CallbackType, about?: About) => Letter {
  const hash = createHash('verify-receiver', String(wall.now()));
  let made = 0;
  return (type, { projectId = usualProject, subProjectId, failed, agedMs = 0, write = toText } = {}) => {
    made += 1;
    const { id, body } = createCallback({
      seed: 'verify-receiver',
      change: made,
      projectId,
      subProjectId,
      operation: operations[type],
      type,
      requestId: `req_${hash.of(String(made))}`,
      failed: failed ?? [{ id: `VERIFY-${made}`, reason: 'Address could not be geocoded' }],
      atMs: wall.now() - agedMs,
      disturbance: undefined,
    });
    return { id, type, text: write(body) };
  };
}

function toText(message: object): string {
  return toSent(message, {});
}

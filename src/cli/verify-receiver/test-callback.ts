/** Creates the callbacks for the checks: messages like the sandbox's, each with a unique id. */

import { type CallbackType, createCallback } from '../../callbacks/callback.ts';
import { toSent } from '../../callbacks/callback-faults.ts';
import { createHash } from '../../lib/random.ts';
import type { WallClock } from '../../lib/time.ts';
import type { CallbackContent, TestCallback } from './check.ts';

/** An operation for each callback type. No operation sends `routes.update.failed` yet, so it has that of the import. */
const operations: Readonly<Record<CallbackType, string>> = {
  'jobs.import.failed': 'asyncImportJobs',
  'jobs.update.failed': 'asyncUpdateJobs',
  'routes.import.failed': 'asyncImportRoutes',
  'routes.update.failed': 'asyncImportRoutes',
  'orders.import.failed': 'asyncImportOrders',
  'orders.update.failed': 'asyncUpdateOrder',
};

export const callbackTypes: readonly CallbackType[] = Object.keys(operations) as CallbackType[];

/** The project of all callbacks. Its name shows in a receiver's database where the callback came from. */
const defaultProject = 'verify-receiver';

/**
 * Returns a function that creates test callbacks. Their ids depend on the current time, because a receiver remembers
 * the ids of an earlier run, and would treat these callbacks as duplicates.
 */
export function createTestCallbacks(wall: WallClock): (type: CallbackType, content?: CallbackContent) => TestCallback {
  const hash = createHash('verify-receiver', String(wall.now()));
  let count = 0;
  return (type, { projectId = defaultProject, subProjectId, failed, ageMs = 0, write = toText } = {}) => {
    count += 1;
    const { id, body } = createCallback({
      seed: 'verify-receiver',
      change: count,
      projectId,
      subProjectId,
      operation: operations[type],
      type,
      requestId: `req_${hash.of(String(count))}`,
      failed: failed ?? [{ id: `VERIFY-${count}`, reason: 'Address could not be geocoded' }],
      atMs: wall.now() - ageMs,
      disturbance: undefined,
    });
    return { id, type, text: write(body) };
  };
}

function toText(message: object): string {
  return toSent(message, {});
}

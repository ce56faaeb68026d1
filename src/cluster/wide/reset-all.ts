/** Resets all projects of all replicas. */

import { toChangeEvent } from '../../control-api/event-data.ts';
import type { ControlParts } from '../../control-api/handler.ts';
import { type Reply, toJsonReply } from '../../http/reply.ts';
import { ProjectLost, toStoreError } from '../../project/persistence/store-errors.ts';
import type { ClusterDatabase } from '../database/cluster-database.ts';
import { type AskOthers, readBody } from './ask-others.ts';
import type { SharedScenarios } from './shared-scenarios.ts';

/** What a replica has reset. */
interface ResetHere {
  readonly projects: readonly string[];
  readonly instructions: number;
  readonly callbacks: number;
}

interface Parts {
  readonly control: ControlParts;
  readonly database: Pick<ClusterDatabase, 'removeAll'>;
  readonly ask: AskOthers;
  readonly scenarios: Pick<SharedScenarios, 'shareServerScenarios'>;
}

export async function resetAll({ control, database, ask, scenarios }: Parts): Promise<Reply> {
  await scenarios.shareServerScenarios(null);
  // From now on, what late writers have of these projects is refused.
  const removed = await database.removeAll();
  const own = await resetHere(control);
  const others = await ask({ about: 'reset' });
  const all = [own, ...others.map((reply) => readBody<ResetHere>(reply))];
  control.events.publish(toChangeEvent('reset', null));
  const sum = (key: 'instructions' | 'callbacks'): number => all.reduce((total, one) => total + one[key], 0);
  return toJsonReply(200, {
    projects: new Set([...removed, ...all.flatMap(({ projects }) => projects)]).size,
    cancelled: { instructions: sum('instructions'), callbacks: sum('callbacks') },
  });
}

/** Resets the projects of this replica. Those that were created since the removal are removed too. */
export async function resetHere({ projects }: ControlParts): Promise<ResetHere> {
  const ids = [...projects.ids()];
  const cancelled = projects.resetAll();
  for (let writing = projects.persisted(); writing; writing = projects.persisted()) {
    await writing.catch((error: unknown) => {
      if (!(toStoreError(error) instanceof ProjectLost)) throw error;
    });
  }
  const sum = (key: 'instructions' | 'callbacks'): number => cancelled.reduce((total, one) => total + one[key], 0);
  return { projects: ids, instructions: sum('instructions'), callbacks: sum('callbacks') };
}

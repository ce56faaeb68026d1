/** Gives projects to other replicas while requests go on: when this one stops, or when another cannot reach it. */
import type { WallClock } from '../lib/time.ts';
import type { ProjectRegistry } from '../project/registry.ts';
import type { Placement } from './placement.ts';
import type { OwnedStore, Released } from './store/owned-store.ts';

interface Parts {
  readonly projects: Pick<ProjectRegistry, 'peek' | 'lose'>;
  readonly store: Pick<OwnedStore, 'flush' | 'letGo'>;
  readonly placement: Pick<Placement, 'handOver'>;
  readonly wall: WallClock;
}

/** How long a handover waits for callbacks that are being sent and for clocks that are being advanced. */
const patienceMs = 5000;
const pauseMs = 20;

/** Creates a function that hands a project over. It resolves when another replica can claim the project. */
export function createHandOver({ projects, store, placement, wall }: Parts): (project: string) => Promise<void> {
  const pause = (): Promise<void> => new Promise((resolve) => wall.after(pauseMs, resolve));

  async function prepare(id: string): Promise<Released | undefined> {
    const until = wall.elapsed() + patienceMs;
    while (projects.peek(id)?.schedule.isAdvancing() && wall.elapsed() < until) await pause();
    const project = projects.peek(id);
    project?.schedule.dispose();
    await Promise.race([project?.settled(), new Promise<void>((resolve) => wall.after(patienceMs, resolve))]);
    // Requests that were under way may change the project until nothing is left to write.
    await store.flush(id);
    projects.lose(id);
    return store.letGo(id);
  }

  return (project) => placement.handOver(project, () => prepare(project));
}

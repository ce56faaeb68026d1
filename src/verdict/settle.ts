/** Brings every project to rest: its clock is frozen, and moved until nothing is pending. */
import { Disposed } from '../downstream/schedule.ts';
import type { World } from '../world.ts';
import type { Worlds } from '../worlds.ts';

/** How far a clock goes at most: a day, as where it is advanced until idle by HTTP. */
const longestMs = 24 * 3_600_000;

/** Who goes on asking while it settles is not waited for without end. */
const mostRounds = 100;

/** Resolves when nothing is due within a day of when a project was first looked at, in those made meanwhile too. */
export async function settle(worlds: Pick<Worlds, 'list'>): Promise<void> {
  const ends = new WeakMap<World, number>();
  for (let round = 0; round < mostRounds; round += 1) {
    const restless = worlds.list().filter((world) => isRestless(world, ends.get(world)));
    if (restless.length === 0) return;
    await Promise.all(
      restless.map((world) => {
        const end = ends.get(world) ?? world.now() + longestMs;
        ends.set(world, end);
        return advance(world, end);
      }),
    );
  }
}

/** `end`: until when it was advanced, if it was. */
function isRestless({ data }: World, end: number | undefined): boolean {
  return end === undefined || data.clock.mode === 'real' || data.due.some(({ dueAt }) => dueAt <= end);
}

async function advance(world: World, to: number): Promise<void> {
  if (!world.schedule.isAdvancing()) world.setClock('frozen', world.now());
  try {
    await world.schedule.advance(() => ({ to, stopIdle: true }));
  } catch (error) {
    // It was reset meanwhile: what it came to was told then.
    if (!(error instanceof Disposed)) throw error;
  }
}

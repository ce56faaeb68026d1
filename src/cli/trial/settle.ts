/** Completes the pending work of all projects: freezes each clock, and advances it until nothing is pending. */

import type { Project } from '../../project/project.ts';
import type { ProjectRegistry } from '../../project/registry.ts';
import { Disposed } from '../../project/schedule.ts';

/** Maximum advance of a clock, in milliseconds: a day, like the control API's advance until idle. */
const maxAdvanceMs = 24 * 3_600_000;

/** Maximum number of rounds, because a client may keep sending requests. */
const maxRounds = 100;

/** Resolves when no project has work due within a day of its first round, including projects created meanwhile. */
export async function settle(projects: Pick<ProjectRegistry, 'list'>): Promise<void> {
  const ends = new WeakMap<Project, number>();
  for (let round = 0; round < maxRounds; round += 1) {
    const pendingProjects = projects.list().filter((project) => hasPendingWork(project, ends.get(project)));
    if (pendingProjects.length === 0) return;
    await Promise.all(
      pendingProjects.map((project) => {
        const end = ends.get(project) ?? project.now() + maxAdvanceMs;
        ends.set(project, end);
        return advance(project, end);
      }),
    );
  }
}

/** Returns whether a project has work due. `end`: the end of its advance; undefined before its first round. */
function hasPendingWork({ state }: Project, end: number | undefined): boolean {
  return (
    end === undefined || state.clock.mode === 'real' || (state.due.first()?.dueAt ?? Number.POSITIVE_INFINITY) <= end
  );
}

async function advance(project: Project, to: number): Promise<void> {
  if (!project.schedule.isAdvancing()) project.setClock('frozen', project.now());
  try {
    await project.schedule.advance(() => ({ to, stopIdle: true }));
  } catch (error) {
    // The project was reset meanwhile: its results were collected then.
    if (!(error instanceof Disposed)) throw error;
  }
}

/** Forks a project under a free name. */
import { callApi, listAll, projectPath, type Schemas } from './client.ts';

/**
 * Copies a project, by default at its present state, and otherwise as it was after a change. Returns the id of the fork.
 * @throws {ApiError} if the sandbox rejects it
 */
export async function forkProject(project: string, atChange?: number): Promise<string> {
  const all = await listAll<Schemas['ProjectSummary']>('/projects', Number.POSITIVE_INFINITY);
  const to = toFreeName(project, new Set(all.map(({ id }) => id)));
  await callApi('POST', projectPath(project, '/fork'), { to, ...(atChange !== undefined && { atChange }) });
  return to;
}

/** Returns `demo-fork`, `demo-fork-2`, …: also for forks of forks. */
function toFreeName(project: string, taken: ReadonlySet<string>): string {
  const base = `${project.replace(/-fork(-\d+)?$/, '')}-fork`;
  let name = base;
  for (let number = 2; taken.has(name); number += 1) name = `${base}-${number}`;
  return name;
}

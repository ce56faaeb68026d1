/** Restores a project from its file and its log, or from an evicted project that is not written yet. */
import type { Endpoint } from '../../callbacks/callback.ts';
import type { Steps } from '../../lib/slices.ts';
import { type CompiledScenario, compileWith } from '../../scenarios/compile.ts';
import type { Expressions } from '../../scenarios/matcher.ts';
import type { Project, SavedProject } from '../project.ts';
import type { ProjectState } from '../state.ts';
import { logEnding } from './file-box.ts';
import { DamagedFile, type ProjectFileContent, readProjectLines } from './format/file-content.ts';
import { applyLog } from './log/apply-log.ts';
import type { ChangeLog } from './log/change-log.ts';
import { resumeInterrupted } from './resume-interrupted.ts';

/**
 * Reads a project from the lines of its file, which has this name, and of its log.
 * @throws DamagedFile
 */
export function* readSavedProject(
  text: Iterable<string>,
  log: Iterable<string>,
  name: string,
  defaultEndpoint: Endpoint | undefined,
): Steps<ProjectFileContent> {
  const file = yield* readProjectLines(text, name, defaultEndpoint);
  try {
    yield* applyLog(file.data, file.edition, log);
  } catch (error) {
    throw new DamagedFile(`its log, ${name}${logEnding}, is damaged at ${(error as Error).message}`);
  }
  return file;
}

/** Hands over the state of an evicted project that is not written yet. */
export function handOver({ state, scenarios, usage }: Project, log: ChangeLog): SavedProject {
  resumeInterrupted(state);
  log.end();
  return { state, scenarios, recordBytes: usage.recordBytes };
}

/** Prepares a state that was read for a new project. */
export function toSavedProject(state: ProjectState, expressions: Expressions): SavedProject {
  resumeInterrupted(state);
  const scenarios = state.scenarios.map((scenario): CompiledScenario => compileWith(scenario, expressions));
  return { state, scenarios };
}

export function toFileProblem(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EISDIR') return 'is a folder; expected a file';
  return code === undefined ? message : `can't be read (${code})`;
}

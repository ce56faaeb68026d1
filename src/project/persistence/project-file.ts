/** Stores one project: its file, the log of changes next to it, and the writes of both, one after another. */
import type { Endpoint } from '../../callbacks/callback.ts';
import { runAll } from '../../lib/slices.ts';
import type { ChangeTracker } from '../change-recorder.ts';
import type { Project } from '../project.ts';
import type { ProjectState } from '../state.ts';
import type { Codec, FileBox } from './file-box.ts';
import { toProjectText } from './format/file-content.ts';
import { type ChangeLog, createChangeLog } from './log/change-log.ts';
import { createMergedWrites, type MergedWrites } from './merged-writes.ts';
import { readSavedProject } from './saved-project.ts';

export interface ProjectFile {
  readonly box: FileBox<ProjectState>;
  readonly log: ChangeLog;
  readonly writes: MergedWrites;
  /** The project to write. Undefined if the file is to be removed. */
  project?: Project;
  /** The change tracker that this project uses. */
  tracker?: ChangeTracker;
}

interface Parts {
  readonly project: string;
  readonly name: string;
  /** Where it is stored, for messages. */
  readonly place: string;
  /** The default endpoint for callbacks, which is not written to the file. */
  readonly endpoint: Endpoint | undefined;
  toBox(codec: Codec<ProjectState>): FileBox<ProjectState>;
  /** Reports a failed write. */
  failed(error: Error): void;
  /** Called after each write with whether the file now exists. */
  onWritten(exists: boolean): void;
}

/** Creates the files of a project that does not hold a project yet. */
export function createProjectFile(parts: Parts): ProjectFile {
  const { project, name, place, endpoint, toBox, failed, onWritten } = parts;
  const log = createChangeLog();
  let edition = '';
  const box = toBox({
    toText: (state) => {
      log.begin(state);
      const onEnd = (written: string) => {
        edition = written;
      };
      return toProjectText({ project, state, onEnd }, endpoint);
    },
    toLines: (state) => log.toLines(state, project, edition),
    fromLines: (text, lines) => runAll(readSavedProject(text, lines, name, endpoint)).state,
  });
  async function write(): Promise<void> {
    const { project } = projectFile;
    try {
      if (project) await project.save();
      else await box.remove();
    } catch (error) {
      throw new Error(`${place}: can't be written (${toCode(error)})`, { cause: error });
    }
    onWritten(project !== undefined);
  }
  const projectFile: ProjectFile = { box, log, writes: createMergedWrites(write, (error) => failed(error as Error)) };
  return projectFile;
}

function toCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? (error as Error).message;
}

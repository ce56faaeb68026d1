/** Stores a project as rows of the database: a whole one, then rows with its changes. */
import type { LogPlace } from '../../project/persistence/project-log.ts';
import type { ProjectWrite } from '../database/cluster-database.ts';

/** Where the next row goes. */
export interface Position {
  readonly epoch: number;
  seq: number;
}

interface Parts {
  readonly project: string;
  readonly position: Position;
  isDue(): boolean;
  write(line: ProjectWrite): Promise<void>;
  /** Returns the number of the last row, after a write whose result is unknown. */
  findSeq(): Promise<number>;
}

export function createRowPlace({ project, position, isDue, write, findSeq }: Parts): LogPlace {
  let isSeqKnown = true;

  async function put(kind: ProjectWrite['kind'], text: string): Promise<void> {
    const due = isDue();
    if (!isSeqKnown) position.seq = await findSeq();
    isSeqKnown = false;
    const seq = position.seq + 1;
    await write({ project, epoch: position.epoch, seq, kind, text, isDue: due });
    position.seq = seq;
    isSeqKnown = true;
  }

  return {
    name: `project ${JSON.stringify(project)} in the database`,
    replace: async (text) => {
      await put('whole', [...text].join(''));
      return true;
    },
    append: async (text) => {
      await put('changes', [...text].join(''));
      return true;
    },
    remove: () => put('removal', ''),
  };
}

/** Stores a project as rows of the database: a whole one, then rows with its changes. */
import type { LogPlace } from '../../project/persistence/project-log.ts';
import type { ProjectWrite } from '../database/cluster-database.ts';
import type { UnwrittenItems } from './unwritten-items.ts';

/** Where the next row goes. */
export interface Position {
  readonly epoch: number;
  seq: number;
}

interface Parts {
  readonly project: string;
  readonly position: Position;
  /** What the journal has of the project, which goes with the next changes. */
  readonly unwritten: UnwrittenItems;
  isDue(): boolean;
  write(line: ProjectWrite): Promise<void>;
  /** Returns the number of the last row, after a write whose result is unknown. */
  findSeq(): Promise<number>;
}

export function createRowPlace({ project, position, unwritten, isDue, write, findSeq }: Parts): LogPlace {
  let isSeqKnown = true;

  async function put(kind: ProjectWrite['kind'], text: string): Promise<void> {
    const line = { project, epoch: position.epoch, kind, text, isDue: isDue(), ...unwritten.take(kind === 'changes') };
    try {
      if (!isSeqKnown) position.seq = await findSeq();
      isSeqKnown = false;
      const seq = position.seq + 1;
      await write({ ...line, seq });
      position.seq = seq;
      isSeqKnown = true;
      unwritten.settle();
    } catch (error) {
      unwritten.putBack();
      throw error;
    }
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

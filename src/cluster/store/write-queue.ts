/** Writes lines of many projects together: one statement takes as long for sixty as for one. */

import { ProjectLost } from '../../project/persistence/store-errors.ts';
import type { ClusterDatabase, ProjectWrite } from '../database/cluster-database.ts';

export interface WriteQueue {
  /**
   * Writes a line. A project has at most one line in the queue.
   * @throws ProjectLost if another replica has claimed the project
   */
  write(line: ProjectWrite): Promise<void>;
}

const maxLines = 64;
/** Larger statements would delay the small writes in them, in characters. A longer line has its own. */
const maxLength = 64_000;
/** Small statements do not wait for a large one. */
const maxStatements = 2;

interface Waiting {
  readonly line: ProjectWrite;
  resolve(): void;
  reject(error: unknown): void;
}

export function createWriteQueue({ write }: Pick<ClusterDatabase, 'write'>): WriteQueue {
  const queue: Waiting[] = [];
  let running = 0;
  let isScheduled = false;

  /** Starts a statement after this turn of the event loop, with the lines of all requests that arrived in it. */
  function schedule(): void {
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      void run();
    });
  }

  function takeBatch(): Waiting[] {
    let count = 0;
    let length = 0;
    while (count < Math.min(queue.length, maxLines)) {
      length += (queue[count] as Waiting).line.text.length;
      if (count > 0 && length > maxLength) break;
      count += 1;
    }
    return queue.splice(0, count);
  }

  async function run(): Promise<void> {
    running += 1;
    while (queue.length > 0) {
      const batch = takeBatch();
      try {
        const written = await write(batch.map(({ line }) => line));
        for (const { line, resolve, reject } of batch) {
          if (written.has(line.project)) resolve();
          else reject(new ProjectLost(line.project));
        }
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    running -= 1;
  }

  return {
    write: (line) =>
      new Promise((resolve, reject) => {
        queue.push({ line, resolve, reject });
        if (running < maxStatements && !isScheduled) schedule();
      }),
  };
}

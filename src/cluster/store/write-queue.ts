/**
 * Writes lines of many projects together: one statement takes about as long for sixty as for one. While the database
 * commits one, another may begin.
 */

import { timers } from '../../lib/timers.ts';
import { MayBeApplied, ProjectLost } from '../../project/persistence/store-errors.ts';
import type { ClusterDatabase, ProjectWrite, WriteResult } from '../database/cluster-database.ts';

const maxLines = 64;
/** Maximum number of statements under way, of short lines and of long ones. */
const maxStatements = 2;
/** Maximum length of the lines of a statement, in characters, unless one alone is longer. */
const maxLength = 1_000_000;
/** Longer lines have statements of their own, for which small ones do not wait. */
const maxSmallLength = 16_000;

interface Waiting {
  readonly line: ProjectWrite;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Creates a function that writes a line. A claim of a project has at most one line in the queue; one of an earlier claim may
 * also be there. It throws ProjectLost if another replica has claimed the project; MayBeApplied if it is not known whether
 * that was before.
 */
export function createWriteQueue({ write }: Pick<ClusterDatabase, 'write'>): (line: ProjectWrite) => Promise<void> {
  const [small, large] = [createLane(write), createLane(write)];
  return (line) => (lengthOf(line) > maxSmallLength ? large : small)(line);
}

const lengthOf = ({ text, items }: ProjectWrite): number => text.length + items.length;

function settle({ line: { project }, resolve, reject }: Waiting, result: WriteResult | undefined): void {
  if (result === 'written') resolve();
  else reject(result === 'unknown' ? new MayBeApplied(project) : new ProjectLost(project));
}

/** Creates a function that writes lines, with few statements under way. Meanwhile, the next one collects. */
function createLane(write: ClusterDatabase['write']): (line: ProjectWrite) => Promise<void> {
  const queue: Waiting[] = [];
  let running = 0;

  function takeBatch(): Waiting[] {
    const projects = new Set<string>();
    let length = 0;
    for (const { line } of queue.slice(0, maxLines)) {
      length += lengthOf(line);
      if (projects.has(line.project) || (projects.size > 0 && length > maxLength)) break;
      projects.add(line.project);
    }
    return queue.splice(0, projects.size);
  }

  async function run(): Promise<void> {
    while (queue.length > 0) {
      const batch = takeBatch();
      try {
        const results = await write(batch.map(({ line }) => line));
        for (const waiting of batch) settle(waiting, results.get(waiting.line.project));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    running -= 1;
  }

  return (line) =>
    new Promise((resolve, reject) => {
      queue.push({ line, resolve, reject });
      if (running === maxStatements) return;
      running += 1;
      // The first statement has the lines of all requests that arrived in this turn of the event loop.
      timers.setImmediate(() => void run());
    });
}

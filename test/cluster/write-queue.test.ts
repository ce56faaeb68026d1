/** Lines wait until the statement before them is done, then go together. */
import { expect, test } from 'vitest';
import type { ProjectWrite } from '../../src/cluster/database/cluster-database.ts';
import { noItems } from '../../src/cluster/store/owned-project.ts';
import { createWriteQueue } from '../../src/cluster/store/write-queue.ts';
import { ProjectLost } from '../../src/project/persistence/store-errors.ts';

function toLine(project: string, epoch = 1, text = 'text'): ProjectWrite {
  return { project, epoch, seq: 1, kind: 'whole', text, isDue: false, ...noItems };
}

/** A database that writes lines of the second epoch, and the statements that it was sent. */
function record() {
  const statements: string[][] = [];
  const write = createWriteQueue({
    write: async (lines) => {
      statements.push(lines.map(({ project, epoch }) => `${project}/${epoch}`));
      return new Map(lines.map(({ project, epoch }) => [project, epoch === 2 ? 'written' : 'lost']));
    },
  });
  return { statements, write };
}

test('lines of one turn of the event loop go together', async () => {
  const { statements, write } = record();
  await Promise.all([write(toLine('p', 2)), write(toLine('q', 2))]);
  expect(statements).toEqual([['p/2', 'q/2']]);
});

test('lines of two claims of a project do not go together, so that each has its own result', async () => {
  const { statements, write } = record();
  const results = await Promise.allSettled([write(toLine('p', 1)), write(toLine('q', 2)), write(toLine('p', 2))]);
  expect(statements).toEqual([['p/1', 'q/2'], ['p/2']]);
  expect(results).toEqual([
    { status: 'rejected', reason: expect.any(ProjectLost) },
    { status: 'fulfilled', value: undefined },
    { status: 'fulfilled', value: undefined },
  ]);
});

test('a small line does not wait for a large one', async () => {
  const { statements, write } = record();
  await Promise.all([write(toLine('large', 2, 'x'.repeat(100_000))), write(toLine('small', 2))]);
  expect(statements).toEqual([['large/2'], ['small/2']]);
});

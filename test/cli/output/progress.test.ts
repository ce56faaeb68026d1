/** The progress line of a command, in the last row of a terminal. */
import { expect, test } from 'vitest';
import { showProgress } from '../../../src/cli/output/progress.ts';
import { createTestWall } from '../../harness/wall.ts';

test('a line in the last row of a terminal, updated twice a second, and cleared at the end', () => {
  const wall = createTestWall();
  const written: string[] = [];
  let count = 0;
  const terminal = { isTTY: true, rows: 24, columns: 80, write: (text: string) => void written.push(text) };
  const end = showProgress(terminal, wall, () => `drawn ${++count}`);
  wall.pass(1000);
  expect(written.join('')).toMatch(/drawn 1.*drawn 2.*drawn 3/s);
  // The command writes in the rows above, until the end.
  expect(written[0]).toContain('\u001b[1;23r');
  end();
  expect(written.at(-1)).toContain('\u001b[r');
  expect(wall.timers()).toEqual([]);
});

test('nothing without a terminal', () => {
  const wall = createTestWall();
  const written: string[] = [];
  showProgress({ write: (text) => void written.push(text) }, wall, () => 'drawn')();
  expect({ written, timers: wall.timers() }).toEqual({ written: [], timers: [] });
});

test('nothing on a terminal of kind dumb', () => {
  const written: string[] = [];
  const terminal = { isTTY: true, rows: 24, columns: 80, write: (text: string) => void written.push(text) };
  showProgress(terminal, createTestWall(), () => 'drawn', 'dumb')();
  expect(written).toEqual([]);
});

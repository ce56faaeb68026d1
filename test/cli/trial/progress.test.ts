/** The line that says how far a series of runs is: drawn again in a terminal, and rare elsewhere. */
import { expect, test } from 'vitest';
import { showLine } from '../../../src/cli/trial/progress.ts';
import { createIo } from '../../harness/cli.ts';
import { createTestWall } from '../../harness/wall.ts';

test('a terminal has one line, which is drawn again and cleared', () => {
  const wall = createTestWall();
  const io = createIo({}, true);
  Object.assign(io.stderr, { columns: 80 });
  let drawn = 0;
  const line = showLine(io, wall, () => `drawn ${++drawn}${'.'.repeat(100)}`);
  wall.pass(1000);
  line.hide();
  const lines = io.written.err.split('\r\u001b[2K').slice(1);
  expect(lines.map((line) => line.slice(0, 8))).toEqual(['drawn 1.', 'drawn 2.', 'drawn 3.', '']);
  expect(Math.max(...lines.map(({ length }) => length))).toBe(79);
  expect(wall.timers()).toEqual([]);
});

test.each([
  ['no terminal', {}, false],
  ['a terminal of kind dumb', { TERM: 'dumb' }, true],
])('%s has a line after half a minute', (_, env, isTTY) => {
  const wall = createTestWall();
  const io = createIo(env, isTTY);
  const line = showLine(io, wall, () => 'half');
  wall.pass(29_000);
  expect(io.written.err).toBe('');
  wall.pass(2000);
  line.hide();
  expect(io.written.err).toBe('half\n');
  expect(wall.timers()).toEqual([]);
});

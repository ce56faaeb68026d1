/** Reading the entries out of a body: their numbers, and where what was refused stands among them. */
import { expect, test } from 'vitest';
import { operations } from '../../src/operations/index.ts';
import { parseCommand } from '../../src/operations/parse-command.ts';

const read = (body: object, reasons: Readonly<Record<string, string>>, params: Readonly<Record<string, string>> = {}) =>
  parseCommand(operations.syncCreateRoutes, params, body as never, new Map(Object.entries(reasons)));

test('a command has a subproject only if the URL does', () => {
  expect(read({ routes: [] }, {}).command).toStrictEqual({ entries: [], routes: [] });
  expect(read({ routes: [] }, {}, { subProjectId: 's' }).command).toStrictEqual({
    ...{ subProjectId: 's', entries: [], routes: [] },
  });
});

test('a rejected route comes before its own jobs and after those of the previous route; routes keep their order', () => {
  const routes = [null, { id: 'R-2' }, { id: 'R-3', jobs: [{ id: 'J-1' }, { id: 2 }] }, { id: 'R-4' }, { id: 'R-5' }];
  const reasons = { 0: 'no route', 1: 'no jobs', '2/1': 'no id', 3: 'no jobs', 4: 'no jobs' };
  const { command, refused } = read({ routes }, reasons);
  expect(command).toEqual({
    entries: [{ item: 1, id: 'J-1', value: { id: 'J-1' }, route: 0 }],
    routes: [{ id: 'R-3', value: { id: 'R-3' }, order: expect.closeTo(0.5) }],
  });
  expect(refused.map(({ order, id }) => [Math.floor(order), id])).toEqual([
    [0, ''],
    [0, 'R-2'],
    [2, '2'],
    [2, 'R-4'],
    [2, 'R-5'],
  ]);
  const orders = refused.map(({ order }) => order);
  expect(orders).toEqual(orders.toSorted((a, b) => a - b));
  expect(new Set(orders).size).toBe(5);
});

test('entries of a list are numbered, and have a route only if they belong to one', () => {
  const jobs = [{ id: 'A' }, 'B', { id: 3 }, null];
  const reasons = new Map([1, 2, 3].map((place) => [String(place), 'no']));
  const { command, refused } = parseCommand(operations.syncCreateJobs, {}, { jobs }, reasons);
  expect(command).toStrictEqual({ entries: [{ item: 1, id: 'A', value: { id: 'A' } }] });
  expect(refused.map(({ order, id }) => `${order} ${id}`)).toEqual(['2 ', '3 3', '4 ']);
});

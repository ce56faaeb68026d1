/** The books of a soak: what they find, and that they find nothing where all is well. */
import { expect, test } from 'vitest';
import { type Check, checks, createFindings } from './findings.ts';
import { type Arrival, createLedger, type Ledger } from './ledger.ts';

const at = (atMs: number, id = 'msg_1', ids: readonly string[] = ['A']): Arrival => ({
  id,
  requestId: 'req_1',
  ids,
  atMs,
});
const told = (times: number, ids: readonly string[] = ['A']) => ({ requestId: 'req_1', ids, times });

const stories: readonly (readonly [name: string, found: readonly Check[], play: (ledger: Ledger) => void])[] = [
  ['came once', [], (books) => [books.expect(told(1)), books.came(at(1), false)]],
  ['came before its answer', [], (books) => [books.came(at(1), false), books.expect(told(1))]],
  ['came three times, as a scenario has it', [], (books) => [books.expect(told(3)), came(books, 3)]],
  ['was refused, and came again', [], (books) => [books.expect(told(1)), books.came(at(1), true), came(books, 1)]],
  ['was refused before its answer', [], (books) => [books.came(at(1), true), books.expect(told(1)), came(books, 1)]],
  ['was asked for again', [], (books) => [books.expect(told(1)), came(books, 1), books.again('msg_1'), came(books, 1)]],
  ['was lost on purpose', [], (books) => [books.expect(told(0))]],
  ['never came', ['lost'], (books) => [books.expect(told(1))]],
  ['was refused, and not tried again', ['lost'], (books) => [books.expect(told(1)), books.came(at(1), true)]],
  ['came twice', ['surplus'], (books) => [books.expect(told(1)), came(books, 2)]],
  ['came although it was to be lost', ['surplus'], (books) => [books.expect(told(0)), came(books, 1)]],
  [
    'came under two ids',
    ['surplus'],
    (books) => [books.expect(told(2)), books.came(at(1), false), books.came(at(1, 'msg_2'), false)],
  ],
  [
    'tells of one entry twice, as it failed at two instants',
    [],
    (books) => [
      ...[books.expect(told(1)), books.expect(told(1))],
      ...[books.came(at(200), false), books.came(at(1000, 'msg_2'), false)],
    ],
  ],
  [
    'tells of one entry under one id, which failed at two instants',
    ['surplus'],
    (books) => [books.expect(told(1)), books.expect(told(1)), came(books, 2)],
  ],
  [
    'came once too often in place of another',
    ['surplus'],
    (books) => [...[books.expect(told(2)), books.expect(told(2)), came(books, 3)], books.came(at(1, 'msg_2'), false)],
  ],
  [
    'was refused under one id, and came again under another',
    ['surplus'],
    (books) => [books.expect(told(1)), books.came(at(1), true), books.came(at(2, 'msg_2'), false)],
  ],
  ['was refused, and nobody asked for it', ['unasked'], (books) => [books.came(at(1), true), came(books, 1)]],
  ['nobody asked for it', ['unasked'], (books) => [came(books, 1)]],
  [
    'told of others than failed',
    ['lost', 'unasked'],
    (books) => [books.expect(told(1)), books.came(at(1, 'msg_1', ['B']), false)],
  ],
  [
    'came after a later one',
    ['order'],
    (books) => [
      ...[books.expect(told(1)), books.expect(told(1, ['B']))],
      ...[books.came(at(2), false), books.came(at(1, 'msg_2', ['B']), false)],
    ],
  ],
];

function came(books: Ledger, times: number): void {
  for (let time = 0; time < times; time += 1) books.came(at(1), false);
}

test.each(stories)('a callback that %s: %j', (_name, found, play) => {
  const findings = createFindings();
  const ledger = createLedger('p', findings);
  play(ledger);
  ledger.close();
  expect((Object.keys(checks) as Check[]).filter((check) => findings.count(check) > 0)).toEqual(found);
});

test('those that are gathered may come in another order, and no more than so', () => {
  const findings = createFindings();
  const ledger = createLedger('p', findings, 1000);
  for (const [place, atMs] of [5000, 4000, 3999].entries()) ledger.came(at(atMs, `msg_${place}`), false);
  expect(findings.count('order')).toBe(1);
});

test('each that is lost on purpose counts, also of entries that are told of as well', () => {
  const findings = createFindings();
  const ledger = createLedger('p', findings);
  for (const times of [0, 1, 0]) ledger.expect(told(times));
  came(ledger, 1);
  ledger.close();
  expect([ledger.dropped(), findings.total()]).toEqual([2, 0]);
});

test('what is outstanding is what was asked for and has not come', () => {
  const ledger = createLedger('p', createFindings());
  const counts = [];
  for (const step of [
    () => ledger.expect(told(2)),
    () => ledger.came(at(1), true),
    () => ledger.came(at(1), false),
    () => ledger.came(at(1), false),
    () => ledger.came(at(1), false),
  ]) {
    step();
    counts.push(ledger.outstanding());
  }
  expect(counts).toEqual([2, 2, 1, 0, 0]);
});

/** The journal stores the latest requests, within limits per project and in total. */
import { expect, test } from 'vitest';
import type { NewEntry } from '../../src/journal/entry.ts';
import { Journal, type JournalLimits, journalLimits, toJournalLimits } from '../../src/journal/journal.ts';
import { toEntry } from '../harness/journal-entry.ts';

const roomy: JournalLimits = { entriesPerProject: 1000, bytesPerProject: 10_000_000, bytes: 100_000_000 };

function fill(limits: Partial<JournalLimits>, entries: readonly (readonly [string | undefined, string, number?])[]) {
  const journal = new Journal({ ...roomy, ...limits });
  for (const [project, id, bytes] of entries) journal.add(toEntry(project, id, bytes));
  return { journal, ids: (project?: string) => journal.list(project).map(({ id }) => id) };
}

test('counts the memory of notes, and of each newly named scenario', () => {
  const rules = Array.from({ length: 10 }, () => ({ then: { fail: 'No' } }));
  const [one, other] = [
    { name: 'one', rules },
    { name: 'other', rules },
  ];
  const idsAfter = (entries: readonly Partial<NewEntry>[]) => {
    const journal = new Journal({ ...roomy, bytesPerProject: 20_000 });
    for (const [index, more] of entries.entries()) journal.add({ ...toEntry('a', `${index + 1}`), ...more });
    return journal.list('a').map(({ id }) => id);
  };
  const naming = (scenario: typeof one) => ({ evidence: { change: 1, atMs: 0, scenario } });
  expect(idsAfter([{}, {}, {}])).toEqual(['1', '2', '3']);
  expect(idsAfter([{}, { notesSize: 16_500 }, {}])).toEqual(['2', '3']);
  expect(idsAfter([naming(one), naming(one), naming(one)])).toEqual(['1', '2', '3']);
  expect(idsAfter([naming(one), naming(other), naming(one), naming(other)])).toEqual(['3', '4']);
  const journal = new Journal({ ...roomy, bytesPerProject: 20_000 });
  journal.add(toEntry('a', '1'));
  for (const scenarios of [[one], [other, one]]) {
    journal.addSetting('a', { change: 1, atMs: 0, setting: { kind: 'scenarios', scenarios } });
  }
  expect([journal.list('a').length, journal.settings('a').length]).toEqual([0, 1]);
});

test('drops the oldest requests of a project above its maximum bytes, but never the newest', () => {
  const { ids } = fill({ bytesPerProject: 10_000 }, [
    ['b', '0', 9000],
    ['a', '1', 4000],
    ['a', '2', 4000],
  ]);
  expect(ids('a')).toEqual(['2']);
  expect(ids('b')).toEqual(['0']);
  expect(
    fill({ bytesPerProject: 10_000 }, [
      ['a', '1', 10],
      ['a', '2', 50_000],
    ]).ids('a'),
  ).toEqual(['2']);
});

test('drops the oldest requests of all projects above the maximum bytes in total', () => {
  const { ids } = fill({ bytes: 20_000 }, [
    ['a', '1', 4000],
    [undefined, '2', 4000],
    ['b', '3', 4000],
    ['b', '4', 4000],
  ]);
  expect(ids()).toEqual(['2', '3', '4'].slice(-3));
  expect(ids('a')).toEqual([]);
});

test('keeps the latest hundred stray requests of a project and thousand in all, apart from its own', () => {
  const { journal } = fill({}, [['a', 'own']]);
  const addStray = (namedProject: string, id: string) => journal.add({ ...toEntry(undefined, id), namedProject });
  const straysOf = (project: string) => journal.strays(project).map(({ id }) => id);
  for (let n = 1; n <= 150; n += 1) addStray('a', `a-${n}`);
  expect(straysOf('a')).toEqual(Array.from({ length: 100 }, (_, index) => `a-${index + 51}`));
  expect(journal.list('a').map(({ id }) => id)).toEqual(['own']);
  expect([journal.size('a'), journal.size(), journal.find('a', 'a-150')?.id]).toEqual([1, 101, 'a-150']);
  for (let n = 1; n <= 950; n += 1) addStray(`p-${n}`, `p-${n}`);
  expect(journal.size()).toBe(1001);
  expect(straysOf('a')).toHaveLength(50);
  expect(straysOf('p-950')).toEqual(['p-950']);
  expect(
    journal
      .list()
      .map(({ id }) => id)
      .at(0),
  ).toBe('own');
});

test('stray requests count in the total of bytes, and are dropped apart from the project', () => {
  const { journal } = fill({}, [['a', 'own']]);
  const before = journal.bytes();
  for (let n = 0; n < 120; n += 1) journal.add({ ...toEntry(undefined, `${n}`), namedProject: n % 2 ? 'a' : 'b' });
  expect(journal.bytes('a')).toBe(before);
  expect(journal.bytes()).toBeGreaterThan(before + 120 * 1000);
  journal.drop('a');
  journal.dropStrays('b');
  expect([journal.strays('a').length, journal.size()]).toEqual([60, 60]);
  journal.trim(before);
  expect(journal.strays('a').length).toBeLessThanOrEqual(1);
  journal.dropStrays();
  expect([journal.bytes(), journal.size()]).toEqual([0, 0]);
  for (let n = 0; n < 1100; n += 1) journal.add({ ...toEntry(undefined, `${n}`), namedProject: `p-${n % 20}` });
  expect(journal.size()).toBe(1000);
});

test('the default limits', () => {
  expect(journalLimits).toEqual({ entriesPerProject: 1000, bytesPerProject: 64 * 2 ** 20, bytes: 512 * 2 ** 20 });
  expect(toJournalLimits(1000)).toEqual(journalLimits);
  expect(toJournalLimits(100)).toEqual({ ...journalLimits, entriesPerProject: 100 });
  expect(toJournalLimits(4000)).toMatchObject({ entriesPerProject: 4000, bytesPerProject: 256 * 2 ** 20 });
  expect(toJournalLimits(50_000)).toMatchObject({ entriesPerProject: 50_000, bytesPerProject: 256 * 2 ** 20 });
  expect(toJournalLimits(1000, 16 * 2 ** 20)).toMatchObject({ bytesPerProject: 8 * 2 ** 20, bytes: 16 * 2 ** 20 });
});

test('a project with the most requests has room for 50,000 small ones, and leaves room for other projects', () => {
  const journal = new Journal(toJournalLimits(50_000));
  journal.add(toEntry('b', 'kept', 2 ** 20));
  for (let index = 0; index < 50_000; index += 1) journal.add(toEntry('a', `${index}`, 3000));
  expect(journal.size('a')).toBe(50_000);
  for (let index = 0; index < 1000; index += 1) journal.add(toEntry('a', `${index}`, 2 ** 20));
  expect(journal.size('a')).toBe(255);
  expect(journal.size('b')).toBe(1);
});

test.each([
  ['the body', { requestBody: { size: 6000, read: () => ({ shown: '' }) } }],
  ['non-Latin characters', { responseBody: 'ж'.repeat(3000) }],
  ['the ids that it names', { named: { ids: ['x'.repeat(6000)] } }],
  ['the headers', { requestHeaders: { cookie: 'x'.repeat(6000) } }],
  ['the warnings', { warnings: Array.from({ length: 30 }, () => ({ path: '', message: 'x'.repeat(100) })) }],
])('counts the memory of %s', (_what, more) => {
  const journal = new Journal({ ...roomy, bytesPerProject: 10_000 });
  for (const id of ['1', '2']) journal.add({ ...toEntry('a', id), ...more });
  expect(journal.list('a').map(({ id }) => id)).toEqual(['2']);
});

/** Large bodies of shapes that nobody sends are refused unparsed; usual ones are not even read through. */
import { expect, test } from 'vitest';
import { toRawBody } from '../../src/http/body.ts';
import { checkShape } from '../../src/http/body-shape.ts';
import { shippedProfile } from '../../src/openapi/profile/profile.ts';
import { sampleBody } from '../../src/samples/sample.ts';

const wall = { elapsed: () => 0 };
const { limits } = shippedProfile;

function check(text: string, of = limits) {
  return checkShape(toRawBody(text), of, wall);
}

const deep = `${'['.repeat(90)}${']'.repeat(90)}`;
const repeat = (piece: (n: number) => string, count: number): string =>
  Array.from({ length: count }, (_, n) => piece(n)).join();

test.each([
  ['empty lists', `{"jobs":[${repeat(() => '[]', 1_100_000)}]}`, 'values'],
  ['empty objects', `{"jobs":[${repeat(() => '{}', 1_100_000)}]}`, 'values'],
  ['deep lists', `{"jobs":[${repeat(() => deep, 12_000)}]}`, 'values'],
  ['numbers', `{"jobs":[${repeat(() => '1', 1_100_000)}]}`, 'values'],
  ['unknown fields', `{"jobs":[{${repeat((n) => `"f${n}":1`, 21_000)}}]}`, 'names'],
  ['objects whose names all differ', `{"jobs":[${repeat((n) => `{"f${n}" : 1}`, 21_000)}]}`, 'names'],
])('a large body of %s is rejected with the name of the limit', async (_, text, key) => {
  const checked = await check(text);
  const problem = checked && 'problem' in checked ? checked.problem : undefined;
  expect(problem).toMatchObject({ kind: 'tooLarge', message: expect.stringContaining(`limits.${key}`) });
});

test.each([
  ['fewer empty lists', `{"jobs":[${repeat(() => '[]', 300_000)}]}`],
  ['what looks like values inside of texts', `{"jobs":["${'[{,:'.repeat(500_000)}"]}`],
  ['names that are the same, and differ in escapes', `{"jobs":[${repeat((n) => `{"a\\"${n % 9}":1}`, 50_000)}]}`],
])('a large body of %s is counted exactly and accepted', async (_, text) => {
  expect(await check(text)).toEqual(toRawBody(text));
});

test.each(['syncCreateJobs', 'syncImportOrders', 'syncCreateRoutes', 'submitLocations'] as const)(
  'a typical body of %s is not counted exactly',
  async (operation) => {
    const text = JSON.stringify(await sampleBody(operation, { count: 3000, seed: 'shape' }));
    expect(text.length).toBeGreaterThan(200_000);
    expect(check(text)).toBeUndefined();
  },
);

test('a small body is not checked', () => {
  expect(check(`[${repeat(() => '[]', 60_000)}]`)).toBeUndefined();
});

test('an exact count lets other requests run', async () => {
  let elapsed = 0;
  const slow = { elapsed: () => (elapsed += 20) };
  let turns = 0;
  const count = (): void => {
    turns += 1;
    if (turns < 1000) setImmediate(count);
  };
  setImmediate(count);
  await checkShape(toRawBody(`[${repeat(() => '[]', 300_000)}]`), limits, slow);
  expect(turns).toBeGreaterThan(3);
});

test('a low limit of names is exact, although samples may miss names', async () => {
  const names = repeat((n) => `"f${n}":"${'x'.repeat(9000)}"`, 30);
  const checked = await check(`{"jobs":[{${names}}]}`, { ...limits, names: 20 });
  expect(checked).toMatchObject({ problem: { message: expect.stringContaining('20 different field names') } });
});

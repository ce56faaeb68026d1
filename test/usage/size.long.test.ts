/** The estimates of sizes, compared with what V8's heap grows by. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { sizeOfText, sizeOfValue } from '../../src/usage/size.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const job = (n: number) => ({
  id: `JOB-${n}`,
  status: 'PENDING',
  customer: { firstName: 'Anna', lastName: `Meyer ${n}`, email: `anna.${n}@example.com`, phone: '+49 40 1234567' },
  address: { street: `Long street ${n}`, zip: '20095', city: 'Hamburg', location: { lat: 53.5 + n, lon: 9.9 + n } },
  items: Array.from({ length: 6 }, (_, at) => ({
    id: `I-${n}-${at}`,
    name: `An article of number ${at}`,
    quantity: at,
  })),
});

const repeat = (text: string, count: number): string => `[${Array.from({ length: count }, () => text).join()}]`;

/** A text, and how far its estimate may be from the heap: 1 is exact. */
const texts: readonly (readonly [string, string, number, number])[] = [
  ['usual jobs', JSON.stringify(Array.from({ length: 5000 }, (_, n) => job(n))), 0.7, 1.5],
  ['jobs of an id', JSON.stringify(Array.from({ length: 30_000 }, (_, n) => ({ id: `J-${n}` }))), 0.7, 1.5],
  ['empty objects', repeat('{}', 300_000), 0.7, 1.5],
  ['empty lists', repeat('[]', 300_000), 0.7, 1.5],
  ['lists in lists', repeat('[[],[]]', 200_000), 0.7, 1.5],
  ['one property each', repeat('{"a":1}', 300_000), 0.7, 1.5],
  ['whole numbers', repeat('1', 1_000_000), 0.7, 1.5],
  ['long texts', JSON.stringify(Array.from({ length: 3000 }, (_, n) => `${'x'.repeat(1000)}${n}`)), 0.7, 1.5],
  // Strings that are alike are kept once.
  ['the same short text', repeat('"ab"', 1_000_000), 0.7, 3],
  ['short texts of their own', JSON.stringify(Array.from({ length: 200_000 }, (_, n) => `x${n}`)), 0.5, 1.5],
];

describe('the estimate of a parsed value', () => {
  test.each(texts)('%s', (_name, text, least, max) => {
    collect();
    const before = process.memoryUsage().heapUsed;
    const value: unknown = JSON.parse(text);
    collect();
    const grown = process.memoryUsage().heapUsed - before;
    expect(sizeOfValue(value) / grown).toBeGreaterThan(least);
    expect(sizeOfValue(value) / grown).toBeLessThan(max);
  });
});

test('the estimate of the text of usual jobs', () => {
  const jobs = JSON.stringify(Array.from({ length: 5000 }, (_, n) => job(n)));
  const estimate = sizeOfText(jobs) / sizeOfValue(JSON.parse(jobs));
  expect(estimate).toBeGreaterThan(0.7);
  expect(estimate).toBeLessThan(1.5);
});

/** Commands that work have a limited number of slots; those that wait on a failure give theirs to others. */
import { expect, test } from 'vitest';
import { maxWaiting, Slots } from '../../../src/cli/sweep/slots.ts';

/** Runs that a test lets wait and end by hand. */
class Runs {
  readonly #slots: Slots;
  readonly #ends = new Map<string, () => void>();
  readonly waits = new Map<string, (isWaiting: boolean) => void>();
  readonly begun: string[] = [];

  constructor(jobs: number) {
    this.#slots = new Slots(jobs);
  }

  add(name: string, isUrgent = false): Promise<void> {
    return this.#slots.run(isUrgent, (onWait) => {
      this.begun.push(name);
      this.waits.set(name, onWait);
      return new Promise((resolve) => this.#ends.set(name, resolve));
    });
  }

  end(name: string): void {
    this.#ends.get(name)?.();
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a run that waits gives its slot away, and goes on without one', async () => {
  const runs = new Runs(2);
  const all = ['a', 'b', 'c', 'd'].map((name) => runs.add(name));
  await settled();
  expect(runs.begun).toEqual(['a', 'b']);
  runs.waits.get('a')?.(true);
  await settled();
  expect(runs.begun).toEqual(['a', 'b', 'c']);
  runs.waits.get('a')?.(false);
  runs.end('b');
  await settled();
  // Two work again: a and c.
  expect(runs.begun).toEqual(['a', 'b', 'c']);
  runs.end('a');
  await settled();
  expect(runs.begun).toEqual(['a', 'b', 'c', 'd']);
  runs.end('c');
  runs.end('d');
  await Promise.all(all);
});

test('at most eight wait, and an urgent run is the next', async () => {
  const runs = new Runs(2);
  const names = Array.from({ length: 20 }, (_, index) => `r${index}`);
  const all = names.map((name) => runs.add(name));
  all.push(runs.add('urgent', true));
  for (let index = 0; index < names.length; index += 1) {
    await settled();
    runs.waits.get(runs.begun[index] ?? '')?.(true);
  }
  await settled();
  expect(runs.begun).toHaveLength(maxWaiting + 2);
  expect(runs.begun[2]).toBe('urgent');
  for (const name of [...names, 'urgent']) {
    await settled();
    runs.end(name);
  }
  for (const name of names) {
    await settled();
    runs.end(name);
  }
  await Promise.all(all);
});

test('with one slot, nothing runs beside a command that waits', async () => {
  const runs = new Runs(1);
  const all = [runs.add('a'), runs.add('b')];
  await settled();
  runs.waits.get('a')?.(true);
  await settled();
  expect(runs.begun).toEqual(['a']);
  runs.end('a');
  await settled();
  runs.end('b');
  await Promise.all(all);
});

/** How long operations wait while the database is away, and what is reported meanwhile. */
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createPatience } from '../../../src/cluster/database/patience.ts';
import { StoreUnavailable } from '../../../src/project/persistence/store-errors.ts';
import { createTestWall } from '../../harness/wall.ts';

const refused = (): Promise<never> => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
const hang = (): Promise<never> => new Promise(() => undefined);

function create(ending?: AbortSignal) {
  const wall = createTestWall();
  const warnings: string[] = [];
  const warn = (text: string): void => void warnings.push(text);
  const patient = createPatience(wall, { warn, ...(ending && { ending }) });
  /** Returns after how many milliseconds an operation gives up. */
  async function giveUp(operation: () => Promise<unknown>): Promise<number> {
    const startedMs = wall.elapsed();
    let ended: unknown;
    patient(operation).catch((error: unknown) => {
      ended = error;
    });
    while (!ended) {
      await setImmediate();
      wall.pass(100);
    }
    expect(ended).toBeInstanceOf(StoreUnavailable);
    return wall.elapsed() - startedMs;
  }
  return { wall, warnings, patient, giveUp };
}

test.each([
  ['refuses', refused],
  ['does not answer', hang],
])('an operation waits 12 seconds for a database that %s, and later ones wait no longer', async (_what, operation) => {
  const { giveUp } = create();
  expect(await giveUp(operation)).toBeLessThanOrEqual(12_300);
  expect(await giveUp(operation)).toBeLessThanOrEqual(1300);
});

test('a database that was back in between is waited for again', async () => {
  const { giveUp, patient } = create();
  await giveUp(refused);
  expect(await patient(async () => 'rows')).toBe('rows');
  expect(await giveUp(refused)).toBeGreaterThanOrEqual(12_000);
});

test('an outage is reported once, and its end', async () => {
  const { giveUp, patient, warnings } = create();
  for (let request = 0; request < 3; request += 1) await giveUp(refused);
  await patient(async () => []);
  await patient(async () => []);
  expect(warnings).toEqual([
    'the database cannot be reached (ECONNREFUSED); requests wait for it for 12 s at most',
    expect.stringMatching(/^the database is back after \d+ s$/),
  ]);
});

test('many operations at once are no leak of listeners', async () => {
  const { patient } = create(new AbortController().signal);
  const warned: Error[] = [];
  const note = (warning: Error): void => void warned.push(warning);
  process.on('warning', note);
  await Promise.all(Array.from({ length: 20 }, () => patient(async () => 'rows')));
  await setImmediate();
  process.off('warning', note);
  expect(warned).toEqual([]);
});

test('a replica that ends waits two seconds', async () => {
  expect(await create(AbortSignal.abort()).giveUp(refused)).toBeLessThanOrEqual(2300);
});

test('what is under way when a replica ends waits two seconds more', async () => {
  const ending = new AbortController();
  const { wall, giveUp } = create(ending.signal);
  wall.after(1000, () => ending.abort());
  const gaveUpMs = await giveUp(hang);
  expect(gaveUpMs).toBeGreaterThanOrEqual(3000);
  expect(gaveUpMs).toBeLessThanOrEqual(3300);
});

test('a refusal of the statement is not tried again', async () => {
  const { patient } = create();
  const error = Object.assign(new Error('no such table'), { code: '42P01' });
  await expect(patient(() => Promise.reject(error))).rejects.toBe(error);
});

/** How often data is loaded again while events arrive all the time. */
import { expect, test, vi } from 'vitest';
import { createReloader } from '../../src/console/reloader.ts';

test.each([
  { takesMs: 20, everyMs: 500 },
  { takesMs: 400, everyMs: 1600 },
])('a load of $takesMs ms runs every $everyMs ms', async ({ takesMs, everyMs }) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'performance'] });
  let loads = 0;
  const { soon } = createReloader(() => {
    loads += 1;
    return new Promise((resolve) => setTimeout(resolve, takesMs));
  });
  setInterval(soon, 1);
  await vi.advanceTimersByTimeAsync(10.5 * everyMs);
  vi.useRealTimers();
  expect(loads).toBeGreaterThan(8);
  expect(loads).toBeLessThan(12);
});

test('after a load of ten minutes, as of a page that was hidden meanwhile, the next one waits two seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  let loads = 0;
  const { now, soon } = createReloader(() => {
    loads += 1;
    return new Promise((resolve) => setTimeout(resolve, 600_000));
  });
  now();
  soon();
  await vi.advanceTimersByTimeAsync(601_999);
  expect(loads).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  vi.useRealTimers();
  expect(loads).toBe(2);
});

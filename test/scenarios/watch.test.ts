/** A folder that can't be watched is used as it was read. */
import { EventEmitter } from 'node:events';
import type { FSWatcher } from 'node:fs';
import { expect, test } from 'vitest';
import { watchFolder } from '../../src/config/scenario-files.ts';

const noInstance = Object.assign(new Error('inotify'), { code: 'EMFILE', syscall: 'watch' });

/** A watcher that the test can fail. */
function createWatcher() {
  const watcher = Object.assign(new EventEmitter(), {
    closed: 0,
    close: () => {
      watcher.closed += 1;
    },
  });
  return watcher;
}

test('without an inotify instance, the sandbox warns once and continues', () => {
  const errors: unknown[] = [];
  const end = watchFolder(
    'folder',
    () => undefined,
    (error) => errors.push(error.code),
    (() => {
      throw noInstance;
    }) as never,
  );
  end();
  expect(errors).toEqual(['EMFILE']);
});

test('a watcher that fails later is closed, with one warning', () => {
  const errors: unknown[] = [];
  const watcher = createWatcher();
  const end = watchFolder(
    'folder',
    () => undefined,
    (error) => errors.push(error.code),
    (() => watcher as unknown as FSWatcher) as never,
  );
  watcher.emit('error', noInstance);
  watcher.emit('error', noInstance);
  end();
  expect(errors).toEqual(['EMFILE']);
  expect(watcher.closed).toBe(1);
});

/** Disk operations: they survive a power loss once they resolve, and change nothing after a takeover. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createDisk, type DiskSteps } from '../../../../src/project/persistence/folder/disk.ts';
import { type Hold, LockLost } from '../../../../src/project/persistence/folder/hold.ts';
import { createFolder } from '../../../harness/folder.ts';

/** A lock that is always free. */
const createTestHold = (folder: string): Hold => ({
  workFolder: mkdtempSync(path.join(folder, '.writing-')),
  verify: () => undefined,
  restore: () => undefined,
  release: () => undefined,
});

/** Creates a disk that records its steps and calls `before` with each one. */
function setUp(before: (step: string) => void = () => undefined) {
  const folder = createFolder();
  const file = path.join(folder, 'p.json');
  const steps: string[] = [];
  const note = (step: string): void => {
    before(step);
    steps.push(step);
  };
  const where = (name: string): string => (name.startsWith(hold.workFolder) ? 'work' : path.basename(name));
  const hold: Hold = {
    ...createTestHold(folder),
    verify: () => {
      note('verify');
      if (isLost) throw new LockLost('lost');
    },
    restore: () => hold.verify(),
  };
  let isLost = false;
  const noted: DiskSteps = {
    open: async (name, flags) => {
      note(`open ${where(name)}`);
      const handle = await open(name, flags, 0o600);
      return {
        writeFile: async (text) => {
          note('write');
          await handle.writeFile(text);
        },
        datasync: async () => note('datasync'),
        close: () => handle.close(),
      };
    },
    rename: async (from, to) => {
      note(`rename ${where(from)} to ${where(to)}`);
      await rename(from, to);
    },
    rm: (name) => rm(name, { force: true }),
    syncFolder: async (name) => note(name === folder ? 'sync folder' : 'sync another'),
  };
  const lose = (): void => {
    isLost = true;
  };
  /** What another server does first: nothing can be done in the work folder any more. */
  const takeOver = (): void => {
    lose();
    renameSync(hold.workFolder, path.join(folder, '.ended'));
  };
  return { disk: createDisk(hold, noted), folder, file, hold, steps, lose, takeOver };
}

describe('a power loss', () => {
  test('syncs a replaced file and its folder before it resolves', async () => {
    const { disk, file, steps } = setUp();
    await disk.replace(file, ['text']);
    const written = ['open work', 'verify', 'write', 'datasync', 'rename work to p.json', 'sync folder', 'verify'];
    expect(steps).toEqual(written);
  });

  test('syncs a line of a file, and creates none that does not exist', async () => {
    const { disk, file, steps } = setUp();
    expect(await disk.append(file, ['one\n'])).toBe(false);
    expect(steps.splice(0)).toEqual(['open p.json']);
    writeFileSync(file, 'one\n');
    expect(await disk.append(file, ['two\n'])).toBe(true);
    expect(steps).toEqual(['open p.json', 'verify', 'write', 'datasync', 'verify']);
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n');
  });

  test('syncs the folder of a removed file', async () => {
    const { disk, file, hold, steps } = setUp();
    writeFileSync(file, '');
    await disk.remove(file);
    expect(steps).toEqual(['rename p.json to work', 'sync folder', 'verify']);
    expect(existsSync(file)).toBe(false);
    expect(readdirSync(hold.workFolder)).toEqual([]);
  });
});

describe('a takeover by another server', () => {
  /** Writes, and lets the folder be taken over just before one of the steps. */
  async function disturb(step: string, act: (disk: ReturnType<typeof setUp>['disk'], file: string) => Promise<void>) {
    let takeOver: () => void = () => undefined;
    const set = setUp((coming) => {
      if (coming !== step) return;
      takeOver();
      takeOver = () => undefined;
    });
    writeFileSync(set.file, 'theirs');
    takeOver = set.takeOver;
    const failure = await act(set.disk, set.file).then(
      () => undefined,
      (error: unknown) => error,
    );
    return { ...set, failure };
  }

  test.each(['open work', 'verify', 'write', 'datasync', 'rename work to p.json'])(
    'before %s: its file stays as it is',
    async (step) => {
      const { failure, file } = await disturb(step, (disk, file) => disk.replace(file, ['late']));
      expect(failure).toBeInstanceOf(LockLost);
      expect(readFileSync(file, 'utf8')).toBe('theirs');
    },
  );

  test('before a file is removed: the file stays', async () => {
    const { failure, file } = await disturb('rename p.json to work', (disk, file) => disk.remove(file));
    expect(failure).toBeInstanceOf(LockLost);
    expect(readFileSync(file, 'utf8')).toBe('theirs');
  });

  test.each(['open p.json', 'verify'])('before %s: appends no line', async (step) => {
    const { failure, file } = await disturb(step, async (disk, file) => {
      await disk.append(file, ['late\n']);
    });
    expect(failure).toBeInstanceOf(LockLost);
    expect(readFileSync(file, 'utf8')).toBe('theirs');
  });

  test.each<[string, (disk: ReturnType<typeof setUp>['disk'], file: string) => Promise<void>]>([
    ['a file', (disk, file) => disk.replace(file, ['ours'])],
    ['a line', async (disk, file) => void (await disk.append(file, ['ours\n']))],
    ['a removal', (disk, file) => disk.remove(file)],
  ])('after %s, before the operation resolves: it rejects', async (_, act) => {
    const { disk, file, lose } = setUp();
    writeFileSync(file, '');
    const done = act(disk, file);
    lose();
    await expect(done).rejects.toThrow(LockLost);
  });
});

test('requests each piece of a text when the piece before it is written', async () => {
  const { disk, file, steps } = setUp();
  function* pieces() {
    for (const piece of ['one ', 'two ', 'three']) {
      steps.push(piece);
      yield piece;
    }
  }
  await disk.replace(file, pieces());
  expect(steps.slice(2, 8)).toEqual(['one ', 'write', 'two ', 'write', 'three', 'write']);
  expect([...(disk.lines(file) ?? [])]).toEqual(['one two three']);
});

test('reads lines one at a time, even if they are longer than the buffer', () => {
  const { disk, file } = setUp();
  const lines = ['a\n', '\n', `${'ü'.repeat(900_000)}\n`, `${'x'.repeat(1024 * 1024 - 1)}\n`, 'no line end'];
  writeFileSync(file, lines.join(''));
  expect([...(disk.lines(file) ?? [])].map((line, n) => line === lines[n])).toEqual(lines.map(() => true));
  expect(disk.lines(`${file}.none`)).toBeUndefined();
});

test('creates a removed work folder again', async () => {
  const { folder, file } = setUp();
  const hold = createTestHold(folder);
  const moved = `${hold.workFolder}-moved`;
  renameSync(hold.workFolder, moved);
  const disk = createDisk({
    ...hold,
    restore: () => renameSync(moved, hold.workFolder),
  });
  await disk.replace(file, ['text']);
  expect(readFileSync(file, 'utf8')).toBe('text');
});

/**
 * What an earlier version has written is read by this one: data folders and recordings in this folder, each with what the
 * sandbox showed of it. Where the format has a new version, its files are written here, to be committed.
 */
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { recordingVersion } from '../../src/journal/recording.ts';
import { logVersion } from '../../src/project/persistence/log/unwritten-changes.ts';
import { useFolders } from '../flows/data-steps.ts';
import { runCommand } from '../harness/cli.ts';
import { keptOptions, play, show } from './traffic.ts';

const here = import.meta.dirname;
const folders = useFolders();
const readShown = (file: string): object => JSON.parse(readFileSync(file, 'utf8')) as object;

test.each(versionsUntil(5, logVersion))('a data folder of version %i shows what it showed', async (version) => {
  const kept = path.join(here, `data-${version}`);
  if (!existsSync(kept)) await writeVersion(kept);
  const copy = folders.fresh();
  cpSync(kept, copy, { recursive: true });
  const started = await folders.start(copy, keptOptions);
  expect(await show(started, { journal: false })).toEqual(readShown(`${kept}.json`));
  expect(started.remarks).toEqual([]);
});

test.each(versionsUntil(1, recordingVersion))('a recording of version %i replays as it was', async (version) => {
  const kept = path.join(here, `recording-${version}.json`);
  const { code, out, err } = await runCommand(['replay', kept]);
  expect({ code, err }, out).toEqual({ code: 0, err: '' });
});

function versionsUntil(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** Writes a folder, what is shown of it, and the recording of its first project. */
async function writeVersion(kept: string): Promise<void> {
  const folder = folders.fresh();
  const started = await folders.start(folder, keptOptions);
  await play(started);
  const { body } = await started.control('GET', '/projects/kept/recording');
  writeFileSync(path.join(here, `recording-${recordingVersion}.json`), `${JSON.stringify(body, null, 1)}\n`);
  writeFileSync(`${kept}.json`, `${JSON.stringify(await show(started, { journal: false }), null, 1)}\n`);
  await started.close();
  cpSync(folder, kept, { recursive: true });
  throw new Error(`${kept} did not exist, and was written: commit it with its JSON and the recording`);
}

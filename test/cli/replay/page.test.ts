/** docs/guides/replay.md: its command downloads a recording when pasted, and its output is that of `replay`. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { runReplay } from '../../../src/cli/replay/command.ts';
import { journalLimits } from '../../../src/journal/journal.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { createTestWall } from '../../harness/wall.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:00:00Z' });
const page = readFileSync('docs/guides/replay.md', 'utf8');
const folder = mkdtempSync(path.join(tmpdir(), 'replay-page-'));
afterAll(() => rmSync(folder, { recursive: true }));

const blocksOf = (language: string): readonly string[] =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map((match) => match[1] ?? '');

async function printed(file: string): Promise<string> {
  let out = '';
  const add = (text: string): void => {
    out += text;
  };
  await runReplay(file, add, add, undefined, createTestWall());
  return out;
}

test('the page shows the real output', async () => {
  const jobs = [{ id: 'ORD-1' }, { id: 'FAIL-GEOCODE-1' }];
  await sandbox.api('POST', '/async/projects/ci-1/jobs', { jobs });
  await sandbox.api('POST', '/async/projects/ci-1/jobs', '{"jobs":');
  await sandbox.advance('ci-1');
  const [download = '', replay = ''] = blocksOf('sh');
  await promisify(execFile)('bash', ['-ec', download.replaceAll('http://127.0.0.1:4600', sandbox.url())], {
    cwd: folder,
  });
  const name = /replay (\S+)/.exec(replay)?.[1] ?? '';
  const [identical, different] = blocksOf('text');
  const file = path.join(folder, name);
  expect(await printed(file)).toBe(identical?.replace(/in \d+ ms/, 'in 0 ms'));

  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('Address could not be geocoded', 'Address was not found'));
  expect(await printed(file)).toBe(different);
});

test('the page shows the real limits', () => {
  const { entriesPerProject, bytesPerProject, bytes } = journalLimits;
  const mb = (count: number): number => count / 1024 ** 2;
  const words = page.replace(/\s+/g, ' ');
  expect(words).toContain(
    `keeps ${entriesPerProject.toLocaleString('en')} requests of a project, ${mb(bytesPerProject)} MB of one and ${mb(bytes)} MB of all`,
  );
});

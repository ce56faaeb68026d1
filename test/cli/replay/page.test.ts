/** docs/guides/replay.md names the real limits of the journal. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { journalLimits } from '../../../src/journal/journal.ts';

test('the page shows the real limits', () => {
  const { entriesPerProject, bytesPerProject, bytes } = journalLimits;
  const mb = (count: number): number => count / 1024 ** 2;
  const words = readFileSync('docs/guides/replay.md', 'utf8').replace(/\s+/g, ' ');
  expect(words).toContain(
    `keeps ${entriesPerProject.toLocaleString('en')} requests of a project, ${mb(bytesPerProject)} MB of one project and ${mb(bytes)} MB of all projects`,
  );
});

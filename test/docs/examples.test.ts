/** The profiles under examples/ start, and docs/guides/your-api.md shows them as they are. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startOne } from '../harness/start-sandbox.ts';
import { readBlocks } from './page.ts';

const folder = 'examples/profiles';
const files = readdirSync(folder);
const shown = new Map(readBlocks('docs/guides/your-api.md').map(({ file, text }) => [file, text]));

test.each(files)('%s is on the page, and a sandbox starts with it', async (file) => {
  expect(shown.get(file)).toBe(readFileSync(path.join(folder, file), 'utf8'));
  const warnings: string[] = [];
  const sandbox = await startOne({ profile: path.join(folder, file) }, { warn: (text) => warnings.push(text) });
  const settings = await (await fetch(`${sandbox.url}/_sandbox/settings`)).text();
  expect(JSON.parse(settings)).toMatchObject({ profile: { basePath: '' } });
  expect(warnings).toEqual([]);
});

/** Everything that the documentation does not show can be changed: each line of the table in docs/reference/profile.md. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OptionTexts } from '../../../src/config/options.ts';
import { type KeptSandbox, startWith } from '../data-steps.ts';
import { createClient, type NotShown, notShown } from './not-shown.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-not-shown-'));
afterAll(() => rmSync(folder, { recursive: true }));

const page = readFileSync('docs/reference/profile.md', 'utf8');
const [, assumptions = ''] = page.split('\n## Assumptions\n');
const lines = [...assumptions.matchAll(/^\| (.*?) \| .*? \| (.*?) \|$/gm)]
  .map(([, line = '', change = '']) => ({ line, change }))
  .filter(({ line }) => line !== 'not shown' && line !== '---');

/** What no profile changes, with the reason on the page. */
const unchangeable = lines.filter(({ change }) => change.startsWith('not changeable')).map(({ line }) => line);

test('every line of the table has a test, and every test a line', () => {
  const tested = notShown.map(({ line }) => line);
  expect([...tested, ...unchangeable].sort()).toEqual(lines.map(({ line }) => line).sort());
});

const start = (more: OptionTexts = {}) => startWith({ clock: '2026-03-02T09:30:00Z', ...more });

let shipped: KeptSandbox;
beforeAll(async () => {
  shipped = await start();
});
afterAll(() => shipped.close());

async function askWith(profile: string, { ask }: NotShown): Promise<unknown> {
  const kept = await start({ profile });
  try {
    return await ask(createClient(kept.sandbox));
  } finally {
    await kept.close();
  }
}

test.each(notShown)('$line', async (one) => {
  const profile = path.join(folder, 'profile.yaml');
  writeFileSync(profile, one.profile);
  if (one.overlay) writeFileSync(path.join(folder, 'changes.overlay.yaml'), one.overlay);
  expect(one.changed).not.toEqual(one.byDefault);
  const client = createClient(shipped.sandbox);
  await client.control('POST', '/reset');
  expect(await one.ask(client)).toEqual(one.byDefault);
  expect(await askWith(profile, one)).toEqual(one.changed);
});

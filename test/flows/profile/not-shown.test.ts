/** Everything that the documentation does not show can be changed: each line of the table in docs/reference/profile.md. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OptionTexts, parseOptions } from '../../../src/config/options.ts';
import type { RunningSandbox } from '../../../src/server.ts';
import { startSandbox } from '../../harness/start-sandbox.ts';
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

function start(more: OptionTexts = {}): Promise<RunningSandbox> {
  const options = { port: '0', log: 'off', clock: '2026-03-02T09:30:00Z', ...more };
  const parsed = parseOptions(options, {});
  if (!parsed.ok) throw new Error(parsed.mistakes.join('\n'));
  const reportError = (_id: string, error: unknown) => {
    throw error;
  };
  return startSandbox(parsed.options, { reportError, warn: () => undefined });
}

let shipped: RunningSandbox;
beforeAll(async () => {
  shipped = await start();
});
afterAll(() => shipped.close());

async function askWith(profile: string, { ask }: NotShown): Promise<unknown> {
  const sandbox = await start({ profile });
  try {
    return await ask(createClient(sandbox));
  } finally {
    await sandbox.close();
  }
}

test.each(notShown)('$line', async (one) => {
  const profile = path.join(folder, 'profile.yaml');
  writeFileSync(profile, one.profile);
  if (one.overlay) writeFileSync(path.join(folder, 'changes.overlay.yaml'), one.overlay);
  expect(one.changed).not.toEqual(one.byDefault);
  const client = createClient(shipped);
  await client.control('POST', '/reset');
  expect(await one.ask(client)).toEqual(one.byDefault);
  expect(await askWith(profile, one)).toEqual(one.changed);
});

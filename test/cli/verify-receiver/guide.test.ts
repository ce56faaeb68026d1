/** docs/guides/verify-receiver.md: its tables list all checks, and its receiver passes them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { checkCount, checkReceiver } from '../../../src/cli/verify-receiver/check-receiver.ts';
import { groups } from '../../../src/cli/verify-receiver/groups/index.ts';
import { createWallClock } from '../../../src/lib/time.ts';

const page = readFileSync('docs/guides/verify-receiver.md', 'utf8');

// `npx vitest run test/cli/verify-receiver/guide.test.ts -u` updates it.
test('the page lists every check', async () => {
  const rows = groups.flatMap(({ name, checks }) => [
    `\n### ${name}\n`,
    '| check | why | how to fix it |',
    '| --- | --- | --- |',
    ...checks.map((check) => `| ${check.name} | ${check.why} | ${check.fix} |`),
  ]);
  const wanted = page.replace(
    /(<!-- checks: .* -->\n)[\s\S]*?(<!-- \/checks -->)/,
    (_all, open: string, close: string) => `${open}${rows.join('\n')}\n\n${close}`,
  );
  await expect(wanted).toMatchFileSnapshot('../../../docs/guides/verify-receiver.md');
});

test('the page shows the number of checks', () => {
  expect(page).toContain(` of ${checkCount} checks (`);
});

test('the receiver of the page passes every check', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'receiver-'));
  const file = path.join(folder, 'receiver.mjs');
  writeFileSync(file, /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? '');
  const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
  const child = spawn(process.execPath, [file], { env: { CALLBACK_SECRET: secret, PORT: '0' } });
  try {
    const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
    const about = { url, secret, allow: [], wall: createWallClock(), pauseMs: 5 };
    const checked = await checkReceiver(about, () => undefined);
    const failed = 'results' in checked ? checked.results.filter(({ outcome }) => outcome !== 'passed') : [checked];
    expect(failed).toEqual([]);
  } finally {
    child.kill();
    rmSync(folder, { recursive: true });
  }
});

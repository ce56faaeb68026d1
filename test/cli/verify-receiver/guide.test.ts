/** docs/guides/verify-receiver.md describes all groups of checks, and the receiver of docs/guides/callbacks.md passes them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { createCallbackFormat } from '../../../src/callbacks/format.ts';
import { type CheckResult, checkReceiver } from '../../../src/cli/verify-receiver/check-receiver.ts';
import { groups } from '../../../src/cli/verify-receiver/groups/index.ts';
import { createWallClock } from '../../../src/lib/time.ts';
import { shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { readBlocks } from '../../docs/page.ts';

const page = readFileSync('docs/guides/verify-receiver.md', 'utf8');

test.each(groups.map(({ name }) => name))('the page says what the checks of "%s" send', (name) => {
  expect(page).toContain(`- **${name}**: `);
});

const receiver = readBlocks('docs/guides/callbacks.md').find(({ file }) => file === 'receiver.mjs')?.text ?? '';
const [variant = ''] = readBlocks('docs/guides/callbacks.md').flatMap(({ language, testedBy, text }) =>
  language === 'js' && testedBy !== undefined ? [text] : [],
);

test.each([
  ['without packages', receiver],
  ['with standardwebhooks', receiver.replace(/function isSigned[\s\S]*?\n}\n/, () => variant)],
])('the receiver of docs/guides/callbacks.md passes every check, %s', async (_, text) => {
  const folder = mkdtempSync(path.resolve('node_modules/.field-sandbox-receiver-'));
  const file = path.join(folder, 'receiver.mjs');
  writeFileSync(file, text);
  const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
  const args = [file, 'http://127.0.0.1:0/callbacks'];
  const child = spawn(process.execPath, args, { env: { CALLBACK_SECRET: secret } });
  try {
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const url = `http://127.0.0.1:${/\d+$/.exec(line)?.[0]}/callbacks`;
    const format = createCallbackFormat(shippedProfile.callbacks);
    const about = { url, secret, format, allow: [], wall: createWallClock(), pauseMs: 5 };
    const results: CheckResult[] = [];
    await checkReceiver(about, (result) => results.push(result));
    expect(results.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
  } finally {
    child.kill();
    rmSync(folder, { recursive: true });
  }
});

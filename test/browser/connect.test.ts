/** A new user copies the URL of the sandbox, its key, and a first request that runs unchanged. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { copied } from './page.ts';

const sandbox = useSandbox();
const secure = useSandbox({ tls: 'true' });
const browser = useBrowser();
const run = promisify(execFile);
let project = '';

beforeEach(() => {
  project = freshProject();
});

const open = () => browser.open(sandbox.url(), `/connect?project=${encodeURIComponent(project)}`, { height: 1200 });
const panel = (page: Page) => page.getByRole('region', { name: 'First request' });
const copyRequest = async (page: Page): Promise<string> => {
  await page.evaluate("navigator.clipboard.writeText('')");
  await panel(page).getByRole('button', { name: 'Copy', exact: true }).click();
  await expect.poll(() => copied(page)).not.toBe('');
  return copied(page);
};

describe.skipIf(noBrowser)('connect', () => {
  test('shows base URL, key and secret with copy buttons', async () => {
    const page = await open();
    const place = page.getByRole('region', { name: 'Connection' });
    await expect
      .poll(() => place.getByRole('code').allTextContents())
      .toEqual([sandbox.url(), 'apikey: sandbox-key', project]);
    await place.getByText('This is the published default.').waitFor();
    await place.getByRole('button', { name: 'Copy URL' }).click();
    await expect.poll(() => copied(page)).toBe(sandbox.url());
    await place.getByRole('button', { name: 'Copy header' }).click();
    await expect.poll(() => copied(page)).toBe('apikey: sandbox-key');
    await page.getByRole('button', { name: 'Copy secret' }).click();
    await expect.poll(() => copied(page)).toMatch(/^whsec_/);
    await place.getByLabel('API key').fill('mine-1');
    await expect.poll(() => place.getByRole('code').nth(1).textContent()).toBe('apikey: mine-1');
    await expect.poll(() => panel(page).textContent()).toContain("-H 'apikey: mine-1'");
  });

  test('shows the HTTPS URL with the host name of the page, and offers the certificate', async () => {
    const { port } = new URL(secure.tls()?.url ?? '');
    const named = secure.url().replace('127.0.0.1', 'localhost');
    const page = await browser.open(named, '/connect');
    const place = page.getByRole('region', { name: 'Connection' });
    await place.getByText(`https://localhost:${port}`, { exact: true }).waitFor();
    const link = place.getByRole('link', { name: 'Certificate to trust' });
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    expect(download.suggestedFilename()).toBe('ca.pem');
    expect(await (await fetch(download.url())).text()).toMatch(/^-----BEGIN CERTIFICATE-----/);
    const plain = await open();
    await plain.getByText('This is the published default.').waitFor();
    expect(await plain.getByText('HTTPS').count()).toBe(0);
  });

  test('the copied request runs, even if the project name has special characters', async () => {
    project = `it's $HOME "${project}"`;
    const page = await open();
    const text = await copyRequest(page);
    const { stdout } = await run('sh', ['-c', text], { timeout: 20_000 });
    expect(stdout).toContain('202');
    expect(stdout).toContain('jobs.import.failed');
    const own = encodeURIComponent(project);
    expect((await sandbox.items(own, 'jobs')).map(({ id }) => id)).toEqual(['ORD-1']);
    expect(await sandbox.items(own, 'callbacks')).toMatchObject([
      { state: 'inbox', body: { data: { failed: [{ id: 'FAIL-GEOCODE-1' }] } } },
    ]);
  });
});

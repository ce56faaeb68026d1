/** A new user copies the URL of the sandbox, its key, and recipes that run unchanged. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { copied, focused } from './page.ts';

const sandbox = useSandbox();
const secure = useSandbox({ tls: 'true' });
const browser = useBrowser();
const run = promisify(execFile);
let project = '';

beforeEach(() => {
  project = freshProject();
});

const open = (query = '') =>
  browser.open(sandbox.url(), `/connect?project=${encodeURIComponent(project)}${query}`, { height: 1200 });
const panel = (page: Page) => page.getByRole('tabpanel');
const chosen = (page: Page) => page.getByRole('tab', { selected: true }).textContent();
const copyRecipe = async (page: Page): Promise<string> => {
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

  test('arrow keys select recipes, and each recipe has a URL', async () => {
    const page = await open();
    await expect
      .poll(() => page.getByRole('tab').allTextContents())
      .toEqual(expect.arrayContaining(['curl', 'Node', 'Java', 'GitHub Actions', 'GitLab']));
    const tabs = await page.getByRole('tab').allTextContents();
    await page.getByRole('tab', { name: 'curl' }).focus();
    for (const name of tabs.slice(1, 4)) {
      await page.keyboard.press('ArrowDown');
      await expect.poll(() => chosen(page)).toBe(name);
      await expect.poll(() => focused(page)).toBe(name);
      await expect.poll(() => panel(page).textContent()).toContain(project);
    }
    await page.keyboard.press('End');
    await expect.poll(() => chosen(page)).toBe(tabs.at(-1));
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => chosen(page)).toBe('curl');
    await page.keyboard.press('End');
    await expect.poll(() => page.url()).toContain('recipe=testcontainers-python');
    await page.reload();
    await expect.poll(() => chosen(page)).toBe(tabs.at(-1));
    // The tabs are one tab stop. The next one is in the panel.
    await page.getByRole('tab', { selected: true }).focus();
    await page.keyboard.press('Tab');
    await expect.poll(() => focused(page)).toBe('Copy');
  });

  test.each([
    ['curl', 'sh', ['-c']],
    ['node', process.execPath, ['--input-type=module', '-e']],
  ])('the copied recipe for %s runs, even if the project name has special characters', async (recipe, file, args) => {
    project = `it's $HOME "${project}"`;
    const page = await open(`&recipe=${recipe}`);
    const text = await copyRecipe(page);
    const { stdout } = await run(file, [...args, text], { timeout: 20_000 });
    expect(stdout).toContain('202');
    expect(stdout).toContain('jobs.import.failed');
    const own = encodeURIComponent(project);
    expect((await sandbox.items(own, 'jobs')).map(({ id }) => id)).toEqual(['ORD-1']);
    expect(await sandbox.items(own, 'callbacks')).toMatchObject([
      { state: 'inbox', body: { data: { failed: [{ id: 'FAIL-GEOCODE-1' }] } } },
    ]);
  });

  test('YAML recipes parse correctly for a key with special characters', async () => {
    const key = `k: "1" #'$2\\n`;
    const dollars = key.replaceAll('$', '$$$$');
    const page = await open('&recipe=github');
    await page.getByLabel('API key').fill(key);
    const github = parse(await copyRecipe(page));
    expect(github.jobs.test.env).toMatchObject({ SANDBOX_API_KEY: key, SANDBOX_PROJECT: project });
    expect(github.jobs.test.services.sandbox.env).toEqual({ SANDBOX_API_KEY: key, SANDBOX_CLOCK: 'frozen' });
    expect(github.jobs.test.steps.map(Object.keys)).toEqual([['uses'], ['run'], ['run']]);

    await page.getByRole('tab', { name: 'GitLab' }).click();
    await panel(page).getByLabel('.gitlab-ci.yml').waitFor();
    const gitlab = parse(await copyRecipe(page));
    expect(gitlab.test.variables).toMatchObject({ SANDBOX_API_KEY: dollars, SANDBOX_PROJECT: project });
    expect(gitlab.test.services).toMatchObject([{ alias: 'sandbox', variables: { SANDBOX_API_KEY: dollars } }]);

    await page.getByRole('tab', { name: 'docker compose' }).click();
    await panel(page).getByLabel('compose.yaml').waitFor();
    const { services } = parse(await copyRecipe(page));
    expect(services.sandbox.environment).toMatchObject({ SANDBOX_API_KEY: dollars });
    expect(services.client.environment).toMatchObject({ SANDBOX_API_KEY: dollars, SANDBOX_PROJECT: project });
    const all = await page.getByRole('tab').count();
    expect(all).toBe(11);
  });
});

/** The clock in the bar shows the time, the state and what is due, and its menu moves the clock. */
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { findBarriers, noBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { focused } from './page.ts';

const sandbox = useSandbox();
const browser = useBrowser();
let project = '';

beforeEach(async () => {
  project = freshProject();
  await sandbox.control('PUT', `/projects/${project}/clock`, { mode: 'frozen', now: '2040-01-01T00:00:00Z' });
});

const importJobs = (...ids: readonly string[]) =>
  sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: ids.map((id) => ({ id })) });
const pill = (page: Page) => page.getByRole('banner').getByRole('button', { name: /^Clock of/ });
const label = (page: Page) => () => pill(page).getAttribute('aria-label');

describe.skipIf(noBrowser)('the clock in the bar', () => {
  test('shows the state of the selected project, and what is due', async () => {
    const page = await browser.open(sandbox.url(), `/connect?project=${project}`);
    await expect.poll(label(page)).toBe(`Clock of ${project}: Frozen, 00:00:00 nothing due`);
    await importJobs('J-1');
    await importJobs('J-2');
    await expect.poll(label(page)).toBe(`Clock of ${project}: Frozen, 00:00:00 2 due`);
    await sandbox.control('PUT', `/projects/${freshProject()}/clock`, { mode: 'frozen' });
    await page.goto(`${sandbox.url()}/_sandbox/#/live`);
    await expect.poll(() => pill(page).count()).toBe(0);
  });

  test('advances a frozen clock, and says what was done', async () => {
    await importJobs('FAIL-GEOCODE-1');
    const page = await browser.open(sandbox.url(), `/connect?project=${project}`);
    await pill(page).click();
    const menu = page.getByRole('dialog', { name: /^Clock of/ });
    await expect.poll(() => focused(page)).toBe('Resume');
    expect(await findBarriers(page)).toEqual([]);
    await menu.getByRole('button', { name: '+1 min' }).click();
    await menu.getByText('Advanced to 2040-01-01 00:01:00: 1 command processed').waitFor();
    await menu.getByRole('button', { name: '+10 min' }).click();
    await menu.getByText('Advanced to 2040-01-01 00:11:00: 0 commands processed').waitFor();
    await expect.poll(label(page)).toContain('00:11:00');
    await menu.getByRole('button', { name: 'Until idle' }).click();
    await menu.getByText('0 pending').waitFor();
  });

  test('resumes and freezes the clock, and sets its rate; a running clock is not advanced', async () => {
    const page = await browser.open(sandbox.url(), `/connect?project=${project}`);
    await pill(page).click();
    const menu = page.getByRole('dialog', { name: /^Clock of/ });
    await menu.getByRole('button', { name: '60×' }).click();
    await expect.poll(label(page)).toContain('Running at 60×');
    await expect.poll(() => menu.getByRole('button', { name: '+1 min' }).isDisabled()).toBe(true);
    await menu.getByRole('button', { name: 'Freeze' }).click();
    await expect.poll(label(page)).toContain('Frozen');
    expect((await sandbox.control('GET', `/projects/${project}/clock`)).body.mode).toBe('frozen');
    await page.keyboard.press('Escape');
    await expect.poll(() => menu.isVisible()).toBe(false);
    await expect.poll(() => focused(page)).toContain('Clock of');
  });
});

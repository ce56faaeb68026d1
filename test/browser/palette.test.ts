/** The palette runs every action and finds every id; keys lead to screens, searches and help, except in fields. */
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { findBarriers, noBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { copied, createGate, hasFocus, heading, shownProject } from './page.ts';

const sandbox = useSandbox();
const browser = useBrowser();
let project = '';

beforeEach(async () => {
  project = freshProject();
  await sandbox.freeze(project);
  await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'FAIL-GEOCODE-7' }, { id: 'PAL-8' }] });
});

const open = (screen = 'live') => browser.open(sandbox.url(), `/${screen}?project=${project}`);
const palette = (page: Page) => page.getByRole('dialog', { name: 'Commands' });

/** Types a text and runs the action with this name. */
async function run(page: Page, text: string, name: string | RegExp): Promise<void> {
  await page.keyboard.press('Control+k');
  await palette(page).getByRole('combobox').fill(text);
  await palette(page).getByRole('option', { name }).click();
}

describe.skipIf(noBrowser)('the palette', () => {
  test('opens by Ctrl+K, also in a field, and by the button; Enter runs the first match', async () => {
    const page = await open('callbacks');
    await page.getByRole('button', { name: 'Search or run a command' }).click();
    await palette(page).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(() => palette(page).count()).toBe(0);
    await page.keyboard.press('Control+k');
    await palette(page).getByRole('combobox').waitFor();
    await expect.poll(() => hasFocus(palette(page).getByRole('combobox'))).toBe(true);
    await page.keyboard.type('scenari');
    await page.keyboard.press('Enter');
    await heading(page, 'Scenarios').waitFor();
    await expect.poll(() => page.url()).toContain(`project=${project}`);
  });

  test('runs the actions of the screens', async () => {
    const page = await open('live');
    for (const [text, name, result] of [
      ['10 min', /^Advance the clock by 10 minutes/, /^Advanced to .*: \d commands? processed/],
      ['60', 'Run the clock at 60×', /^Running at .*, 60 times as fast/],
      ['freeze', 'Freeze the clock', /^Frozen at/],
      ['outage', 'Activate scenario outage', 'outage is active.'],
      ['flaky', 'Activate scenario flaky', 'flaky is active.'],
      ['flaky', 'Deactivate scenario flaky', 'flaky is off.'],
      ['pause', 'Pause the list', 'Resume'],
      ['copy', 'Copy link to this view', 'Link copied.'],
    ] as const) {
      await run(page, text, name);
      await page.getByText(result).first().waitFor();
    }
    expect(await copied(page)).toBe(`${sandbox.url()}/_sandbox/#/live?project=${project}`);
    const { body } = await sandbox.control('GET', `/projects/${project}`);
    expect(body).toMatchObject({ clock: { mode: 'frozen' }, scenarios: ['outage'] });
  });

  test('switches project and theme, and opens screens with what they need', async () => {
    const other = freshProject();
    await sandbox.freeze(other);
    const page = await browser.open(sandbox.url(), `/live?project=${project}`);
    await run(page, 'pause', 'Pause the list');
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    for (const [text, name] of [
      ['snapshot', 'Download snapshot'],
      ['recording', 'Download recording'],
    ] as const) {
      const downloaded = page.waitForEvent('download');
      await run(page, text, name);
      expect((await downloaded).suggestedFilename()).toBe(`${project}.${text}.json`);
    }
    const choosing = page.waitForEvent('filechooser');
    await run(page, 'restore', 'Restore snapshot…');
    await choosing;
    await run(page, 'dark', 'Theme: dark');
    await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await run(page, other, new RegExp(`^${other}`));
    await expect.poll(() => shownProject(page)).toBe(other);
    await run(page, 'new', /^New scenario$/);
    await heading(page, 'Scenarios / New scenario').waitFor();
  });

  test('finds the commands of a project without one, and says what is missing', async () => {
    await sandbox.freeze(freshProject());
    const page = await browser.open(sandbox.url(), '/live');
    await page.keyboard.press('Control+k');
    for (const text of ['advance 1 hour', 'activate outage']) {
      await palette(page).getByRole('combobox').fill(text);
      const option = palette(page).getByRole('option', { name: /select a project first/ });
      await option.waitFor();
      expect(await option.getAttribute('aria-disabled')).toBe('true');
      expect(await findBarriers(page)).toEqual([]);
      await option.click({ force: true });
      await palette(page).waitFor();
    }
  });

  test('opens the exact id on Enter, also if the search answers late', async () => {
    const page = await open('connect');
    const gate = createGate();
    await page.route('**/_sandbox/search*', async (route) => {
      await gate.passed;
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    await palette(page).getByRole('combobox').waitFor();
    const sent = page.waitForRequest('**/_sandbox/search*');
    await page.keyboard.type('PAL-8');
    await page.keyboard.press('Enter');
    await sent;
    gate.open();
    await expect.poll(() => page.url()).toMatch(/#\/entity\?.*id=PAL-8/);
  });

  test('says in one line that the search failed', async () => {
    const page = await open();
    await page.route('**/_sandbox/search*', (route) => route.fulfill({ status: 500, json: { message: 'no luck' } }));
    await page.keyboard.press('Control+k');
    await palette(page).getByRole('combobox').fill('project');
    await palette(page).getByRole('alert').getByText('Cannot search: no luck').waitFor();
    await palette(page).getByRole('option', { name: 'Project', exact: false }).first().waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });

  test('finds a request and a job by id', async () => {
    const [request] = await sandbox.items(project, 'requests');
    const id = String(request?.['id']);
    const page = await open('connect');
    await run(page, id, new RegExp(`^${id} request`));
    await page.getByRole('complementary', { name: 'Request' }).waitFor();
    await expect.poll(() => page.url()).toContain(`request=${id}`);
    await page.keyboard.press('Escape');
    await run(page, 'FAIL-GEOCODE-7', /^FAIL-GEOCODE-7/);
    await expect.poll(() => page.url()).toContain('FAIL-GEOCODE-7');
  });
});

describe.skipIf(noBrowser)('keys', () => {
  test('g and a letter open a screen, / searches it, ? shows the help', async () => {
    const page = await open('connect');
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await heading(page, 'Callbacks').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await heading(page, 'Scenarios').waitFor();
    await page.getByRole('main').getByRole('searchbox').first().waitFor();
    await page.keyboard.press('/');
    await expect.poll(() => hasFocus(page.getByRole('main').getByRole('searchbox').first())).toBe(true);
    // In a field, keys are text.
    await page.keyboard.type('gc?/');
    await expect.poll(() => page.getByRole('main').getByRole('searchbox').first().inputValue()).toBe('gc?/');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard help' });
    await help.getByText('Search or run a command').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(() => help.count()).toBe(0);
    await heading(page, 'Scenarios').waitFor();
  });
});

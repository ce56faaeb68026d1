/** The palette runs every action and finds every id; keys lead to screens, searches and help, except in fields. */
import type { Page } from 'playwright-core';
import { beforeEach, expect } from 'vitest';
import { findBarriers } from '../harness/browser.ts';
import { freshProject } from '../harness/sandbox.ts';
import { copied, createGate, hasFocus, heading, idOf, inBrowser, shownProject, textsOf, useConsole } from './page.ts';

const { sandbox, browser, project, open, freeze, importJobs, control } = useConsole();
let request = '';

beforeEach(async () => {
  await freeze();
  request = idOf(await importJobs('FAIL-GEOCODE-7', 'PAL-8'));
});

const palette = (page: Page) => page.getByRole('dialog', { name: 'Commands' });
const field = (page: Page) => palette(page).getByRole('combobox');

/** Types a text and runs the action with this name. */
async function run(page: Page, text: string, name: string | RegExp): Promise<void> {
  await page.keyboard.press('Control+k');
  await field(page).fill(text);
  await palette(page).getByRole('option', { name }).click();
}

inBrowser('the palette opens by Ctrl+K and by the button, and runs the actions of the screens', async () => {
  const page = await open('callbacks');
  await page.getByRole('button', { name: 'Search or run a command' }).click();
  await palette(page).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect.poll(() => palette(page).count()).toBe(0);
  await page.keyboard.press('Control+k');
  await expect.poll(() => hasFocus(field(page))).toBe(true);
  await page.keyboard.type('request');
  await page.keyboard.press('Enter');
  await heading(page, 'Requests').waitFor();
  for (const [text, shown] of Object.entries({ problems: 'quality?', coverage: 'tab=coverage', settings: 'clock?' })) {
    await page.keyboard.press('Control+k');
    await field(page).fill(text);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain(shown);
  }
  for (const _time of [1, 2, 3]) await page.goBack();
  // Of actions that match alike, the first is the one that is listed first.
  await page.keyboard.press('Control+k');
  await field(page).fill('advance');
  await expect
    .poll(() => textsOf(palette(page).getByRole('option', { name: /^Advance the clock by/ })))
    .toEqual(['1 minute', '10 minutes', '1 hour'].map((time) => `Advance the clock by ${time}`));
  await page.keyboard.press('Escape');
  for (const [text, name, result] of [
    ['10 min', /^Advance the clock by 10 minutes/, /^Advanced to .*: \d commands?,/],
    ['60x', 'Run the clock at 60×', /^Running at .*, 60 times as fast/],
    ['freeze', 'Freeze the clock', /^Frozen at/],
    ['outage', 'Activate scenario outage', 'outage is active.'],
    ['flaky', 'Activate scenario flaky', 'flaky is active.'],
    ['flaky', 'Deactivate scenario flaky', 'flaky is off.'],
    ['copy', 'Copy link to this view', 'Link copied.'],
  ] as const) {
    await run(page, text, name);
    await page.getByText(result).first().waitFor();
  }
  expect(await copied(page)).toBe(`${sandbox.url()}/_sandbox/#/live?project=${project()}`);
  expect((await control('GET', '')).body).toMatchObject({ clock: { mode: 'frozen' }, scenarios: ['outage'] });
});

inBrowser('the palette switches project and theme, and opens what it finds', async () => {
  const other = freshProject();
  await sandbox.freeze(other);
  const page = await open('connect');
  const second = await browser.open(sandbox.url(), '/live');
  await run(page, 'dark', 'Theme: dark');
  await expect.poll(() => second.evaluate('document.documentElement.dataset.theme')).toBe('dark');
  await second.keyboard.press('Control+k');
  await field(second).fill('reset');
  await palette(second).getByRole('option', { name: 'Reset a project…', selected: true }).waitFor();
  await run(page, request, new RegExp(`^${request} request`));
  await page.getByRole('complementary', { name: 'Request' }).waitFor();
  await page.keyboard.press('Escape');
  await run(page, 'FAIL-GEOCODE-7', /^FAIL-GEOCODE-7/);
  await expect.poll(() => page.url()).toContain('FAIL-GEOCODE-7');
  await run(page, other, new RegExp(`^${other}`));
  await expect.poll(() => shownProject(page)).toBe(other);
  await run(page, 'new', /^New scenario$/);
  await heading(page, 'Scenarios / New scenario').waitFor();
});

inBrowser('the palette opens an exact id, also if the search answers late, and says if it fails', async () => {
  const page = await open('connect');
  const gate = createGate();
  const path = '**/_sandbox/search*';
  await page.route(path, async (route) => {
    await gate.passed;
    await route.continue();
  });
  await page.keyboard.press('Control+k');
  await field(page).waitFor();
  const sent = page.waitForRequest(path);
  await page.keyboard.type('PAL-8');
  await page.keyboard.press('Enter');
  await sent;
  gate.open();
  await expect.poll(() => page.url()).toMatch(/#\/entity\?.*id=PAL-8/);
  await page.unroute(path);
  await page.route(path, (route) => route.fulfill({ status: 500, json: { message: 'no luck' } }));
  await page.keyboard.press('Control+k');
  await field(page).fill('project');
  await palette(page).getByRole('alert').getByText('Cannot search: no luck').waitFor();
  await palette(page).getByRole('option', { name: 'Project' }).first().waitFor();
  expect(await findBarriers(page)).toEqual([]);
  // A selection that is drawn beyond the palette.
  const { x = 0, y = 0 } = (await field(page).boundingBox()) ?? {};
  await page.mouse.move(x + 60, y + 20);
  await page.mouse.down();
  await page.mouse.move(x - 60, y + 20);
  await page.mouse.up();
  await field(page).fill('pro');
  await page.mouse.click(x - 60, y + 20);
  await expect.poll(() => palette(page).count()).toBe(0);
});

inBrowser('g and a letter open a screen, / searches it, ? shows the help; in a field, keys are text', async () => {
  const page = await open('connect');
  for (const [letter, title] of [
    ['c', 'Callbacks'],
    ['s', 'Scenarios'],
  ] as const) {
    await page.keyboard.press('g');
    await page.keyboard.press(letter);
    await heading(page, title).waitFor();
  }
  const search = page.getByRole('main').getByRole('searchbox').first();
  await search.waitFor();
  await page.keyboard.press('/');
  await expect.poll(() => hasFocus(search)).toBe(true);
  await page.keyboard.type('gc?/');
  await expect.poll(() => search.inputValue()).toBe('gc?/');
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

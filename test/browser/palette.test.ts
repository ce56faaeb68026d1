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
const clock = async () => (await sandbox.control('GET', `/projects/${project}/clock`)).body;

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

  test('moves the clock', async () => {
    const page = await open();
    const before = Date.parse((await clock()).now);
    await run(page, '10 min', /^Advance the clock by 10 minutes/);
    await page.getByText(/^Advanced to .*: \d commands? processed/).waitFor();
    expect(Date.parse((await clock()).now) - before).toBe(600_000);
    await run(page, '60', 'Run the clock at 60×');
    await page.getByText(/^Running at .*, 60 times as fast/).waitFor();
    expect(await clock()).toMatchObject({ mode: 'real', rate: 60 });
    await run(page, 'freeze', 'Freeze the clock');
    await page.getByText(/^Frozen at/).waitFor();
    expect(await clock()).toMatchObject({ mode: 'frozen' });
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

  test('keeps what is typed while its code loads', async () => {
    const page = await open('connect');
    const gate = createGate();
    await page.route('**/assets/palette*.js', async (route) => {
      await gate.passed;
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('third jop');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('b');
    gate.open();
    await expect.poll(() => palette(page).getByRole('combobox').inputValue()).toBe('third job');
    await page.keyboard.type('s');
    await expect.poll(() => palette(page).getByRole('combobox').inputValue()).toBe('third jobs');
    await palette(page).getByRole('option', { name: 'Search requests for “third jobs”' }).waitFor();
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

  test('activates a scenario, and deactivates it', async () => {
    const page = await open();
    const active = async () => (await sandbox.control('GET', `/projects/${project}/scenarios`)).body.scenarios;
    await run(page, 'outage', 'Activate scenario outage');
    await page.getByText('outage is active.').waitFor();
    expect(await active()).toEqual(['outage']);
    await run(page, 'flaky', 'Activate scenario flaky');
    await page.getByText('flaky is active. Counts of all rules start again.').waitFor();
    await run(page, 'flaky', 'Deactivate scenario flaky');
    await page.getByText('flaky is off. Counts of all rules start again.').waitFor();
    await run(page, 'outage', 'Deactivate scenario outage');
    await page.getByText('outage is off.').waitFor();
    expect(await active()).toEqual([]);
  });

  test('downloads a snapshot and a recording, and restores the snapshot', async () => {
    const page = await open();
    const downloaded = page.waitForEvent('download');
    await run(page, 'snapshot', 'Download snapshot');
    const file = await downloaded;
    const recorded = page.waitForEvent('download');
    await run(page, 'recording', 'Download recording');
    expect((await recorded).suggestedFilename()).toBe(`${project}.recording.json`);
    const choosing = page.waitForEvent('filechooser');
    await run(page, 'restore', 'Restore snapshot…');
    await (await choosing).setFiles(await file.path());
    await page
      .getByRole('dialog', { name: /^Restore / })
      .getByRole('button', { name: 'Restore' })
      .click();
    await page.getByText('Cancelled: 1 instruction, 0 callbacks.').waitFor();
  });

  test('starts a scenario and a comparison, and pauses the list of requests', async () => {
    const page = await open();
    await run(page, 'pause', 'Pause the list of requests');
    await page.getByText('paused, 0 new').waitFor();
    await run(page, 'resume', 'Resume the list of requests');
    await page.getByText('paused, 0 new').waitFor({ state: 'detached' });
    await run(page, 'compare', 'Compare two requests');
    await heading(page, 'Compare').waitFor();
    const id = String((await sandbox.items(project, 'requests'))[0]?.['id']);
    await page.goto(`${sandbox.url()}/_sandbox/#/live?project=${project}&request=${id}`);
    await run(page, 'compare', 'Compare this request with…');
    await page.getByText('Select the request to compare with').waitFor();
    await run(page, 'new', /^New scenario$/);
    await heading(page, 'Scenarios / New scenario').waitFor();
  });

  test('says in one line that the search failed', async () => {
    const page = await open();
    await page.route('**/_sandbox/search*', (route) => route.fulfill({ status: 500, json: { message: 'no luck' } }));
    await page.keyboard.press('Control+k');
    await palette(page).getByRole('combobox').fill('clock');
    await palette(page).getByRole('alert').getByText('Cannot search: no luck').waitFor();
    await palette(page).getByRole('option', { name: 'Clock', exact: false }).first().waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });

  test('switches the project, the theme, and copies a link that names the project', async () => {
    const other = freshProject();
    await sandbox.freeze(other);
    const page = await open('records');
    await run(page, other, new RegExp(`^${other}`));
    await expect.poll(() => shownProject(page)).toBe(other);
    await run(page, 'dark', 'Theme: dark');
    await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await run(page, 'copy', 'Copy link to this view');
    await page.getByText('Link copied.').waitFor();
    expect(await copied(page)).toBe(`${sandbox.url()}/_sandbox/#/records?project=${other}`);
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

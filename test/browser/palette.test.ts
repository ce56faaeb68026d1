/** The palette runs every action and finds every id; keys lead to screens, searches and help, except in fields. */
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { findBarriers, noBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { shownProject } from './bar.ts';

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
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

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
    await expect.poll(() => page.evaluate('document.activeElement.role')).toBe('combobox');
    await page.keyboard.type('scenari');
    await page.keyboard.press('Enter');
    await heading(page, 'Scenarios');
    await expect.poll(() => page.url()).toContain(`project=${project}`);
  });

  test('is loaded only when it is opened', async () => {
    const page = await open();
    const loaded = (): Promise<unknown> =>
      page.evaluate(`performance.getEntriesByType('resource').filter(({ name }) => name.includes('palette')).length`);
    expect(await loaded()).toBe(0);
    await page.keyboard.press('Control+k');
    await palette(page).waitFor();
    expect(await loaded()).toBeGreaterThan(0);
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

  test('freezes a running clock before it advances it', async () => {
    await sandbox.control('PUT', `/projects/${project}/clock`, { mode: 'real' });
    const page = await open();
    await run(page, 'advance', 'Freeze and advance the clock by 1 hour');
    await page.getByText(/^Advanced to /).waitFor();
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
    let proceed = (): void => undefined;
    const gate = new Promise<void>((resolve) => (proceed = resolve));
    await page.route('**/assets/palette*.js', async (route) => {
      await gate;
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('third jop');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('b');
    proceed();
    await expect.poll(() => palette(page).getByRole('combobox').inputValue()).toBe('third job');
    await page.keyboard.type('s');
    await expect.poll(() => palette(page).getByRole('combobox').inputValue()).toBe('third jobs');
    await palette(page).getByRole('option', { name: 'Search requests for “third jobs”' }).waitFor();
  });

  test('opens the exact id on Enter, also if the search answers late', async () => {
    const page = await open('connect');
    let proceed = (): void => undefined;
    const gate = new Promise<void>((resolve) => (proceed = resolve));
    await page.route('**/_sandbox/search*', async (route) => {
      await gate;
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    await palette(page).getByRole('combobox').waitFor();
    const sent = page.waitForRequest('**/_sandbox/search*');
    await page.keyboard.type('PAL-8');
    await page.keyboard.press('Enter');
    await sent;
    proceed();
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

  test('resets the project after a confirmation in red', async () => {
    const page = await open();
    await run(page, 'reset', `Reset ${project}…`);
    const dialog = page.getByRole('dialog', { name: `Reset ${project}?` });
    await dialog.waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Cancel');
    const ground = await page.evaluate(
      `getComputedStyle([...document.querySelectorAll('dialog button')].at(-1)).backgroundColor`,
    );
    expect(ground).toBe('rgb(179, 38, 30)');
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByRole('button', { name: `Reset ${project}` }).click();
    await page.getByText(`${project} was reset.`).waitFor();
    expect(await sandbox.items(project, 'requests')).toEqual([]);
  });

  test('forks the project, and shows the fork', async () => {
    const page = await open('records');
    await run(page, 'fork', `Fork ${project} from now`);
    await page.getByText(`This is ${project}-fork, a copy of ${project}.`).waitFor();
    await expect.poll(() => shownProject(page)).toBe(`${project}-fork`);
    expect((await sandbox.control('GET', `/projects/${project}-fork`)).body.forkedFrom).toMatchObject({ project });
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
    await heading(page, 'Compare');
    const id = String((await sandbox.items(project, 'requests'))[0]?.['id']);
    await page.goto(`${sandbox.url()}/_sandbox/#/live?project=${project}&request=${id}`);
    await run(page, 'compare', 'Compare this request with…');
    await page.getByText('Select the request to compare with').waitFor();
    await run(page, 'new', /^New scenario$/);
    await heading(page, 'Scenarios / New scenario');
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
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      `${sandbox.url()}/_sandbox/#/records?project=${other}`,
    );
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

  test('opens a shipped scenario without leaving the project', async () => {
    const page = await open('connect');
    await run(page, 'outage', /^outage scenario/);
    await expect.poll(() => page.url()).toContain('edit=outage');
    expect(page.url()).toContain(`project=${project}`);
  });

  test('offers a search in the requests for any text', async () => {
    const page = await open('connect');
    await run(page, 'no such thing', /^Search requests for “no such thing”/);
    await expect.poll(() => page.url()).toContain('q=no+such+thing');
  });
});

describe.skipIf(noBrowser)('keys', () => {
  test('g and a letter open a screen, / searches it, ? shows the help', async () => {
    const page = await open('connect');
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await heading(page, 'Callbacks');
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await heading(page, 'Scenarios');
    await page.getByRole('main').getByRole('searchbox').first().waitFor();
    await page.keyboard.press('/');
    await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('search');
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
    await heading(page, 'Scenarios');
  });
});

/** A partner developer finds a record among many, what happened to it, and why an id never became a record. */
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { freshProject } from '../harness/sandbox.ts';
import {
  bodyRows,
  chooseDark,
  idOf,
  inBrowser,
  main,
  navigation,
  requestDetail,
  rowLinks,
  textsOf,
  useConsole,
} from './page.ts';

const console = useConsole({ clock: '2026-03-02T09:30:00Z' });
const { sandbox, browser, project, createJobs, importJobs, importOrders, activate, advance, control } = console;

const open = (query = '') => console.open(`records${query}`);
const openId = (id: string) => console.open(`entity?id=${encodeURIComponent(id)}`);
const idsIn = (page: Page, table: string) => () => textsOf(rowLinks(page, table));
const eventsOf = (part: Page | Locator) => part.getByRole('list', { name: 'Events' }).getByRole('listitem');
const recordOf = (page: Page) => page.getByRole('complementary', { name: 'Record' });
const updateJob = (job: object) => sandbox.api('PATCH', `/sync/projects/${project()}/jobs`, job);

inBrowser('each collection has a tab with its number of records, and no password is shown', async () => {
  await control('PUT', '/clock', { mode: 'real' });
  await createJobs('J-1', 'J-2', 'J-3');
  await importOrders('O-1', 'O-2');
  await sandbox.api('POST', `/sync/projects/${project()}/routes/batch`, { routes: [{ id: 'R-1', jobs: [] }] });
  const user = { username: 'ana', password: 'Gehe1m!', type: 'driver', visibleBy: 'S-1', access: 'DRIVER' };
  expect((await sandbox.api('POST', `/projects/${project()}/users`, user)).status).toBe(201);
  const page = await open();
  const tabs = page.getByRole('navigation', { name: 'Collections' });
  await expect
    .poll(() => textsOf(tabs.getByRole('link')))
    .toEqual(['Jobs 3', 'Orders 2', 'Routes 1', 'Users 1', 'Devices 0', 'Map']);
  for (const [title, ids] of [
    ['Jobs', ['J-3', 'J-2', 'J-1']],
    ['Orders', ['O-2', 'O-1']],
    ['Routes', ['R-1']],
    ['Users', ['ana']],
  ] as const) {
    await tabs.getByRole('link', { name: title }).click();
    await expect.poll(idsIn(page, title)).toEqual(ids);
  }
  await page.getByRole('link', { name: 'ana' }).click();
  await page.getByRole('link', { name: 'All fields' }).click();
  await page.getByText('"DRIVER"').first().waitFor();
  expect(await main(page).textContent()).not.toContain('Gehe1m!');
  await tabs.getByRole('link', { name: 'Devices' }).click();
  await page.getByText('No devices yet').waitFor();
  // It is processed after the request was counted.
  await importJobs('J-4');
  await tabs.getByRole('link', { name: 'Jobs 4' }).waitFor();
});

inBrowser('a search also finds ids without a record and those of other collections', async () => {
  await importJobs('REFUSE-2', 'REFUSE-13');
  await createJobs('J-REFUSE-2');
  await importOrders('refuse-20');
  const page = await open('?q=refuse-2');
  const others = page.getByRole('list', { name: 'Other ids' }).getByRole('listitem');
  await expect.poll(() => textsOf(others)).toEqual(['REFUSE-2 no record job: see why', 'refuse-20 order']);
  await expect.poll(idsIn(page, 'Jobs')).toEqual(['J-REFUSE-2']);
  await others.getByRole('link', { name: 'REFUSE-2', exact: true }).click();
  await recordOf(page).getByText('No record, because asyncImportJobs was rejected').waitFor();
  await others.getByRole('link', { name: 'refuse-20' }).click();
  await expect.poll(idsIn(page, 'Orders')).toEqual(['refuse-20']);
});

inBrowser('a record opens beside the list, with its fields and only its own events', async () => {
  const rules = [{ name: 'no street', when: { item: { id: 'FAIL-J-3' } }, then: { fail: 'No such street' } }];
  await activate({ name: 'lost-streets', rules });
  await importJobs({ id: 'J-1', status: 'PENDING' }, 'J-2', 'FAIL-J-3');
  await advance();
  const changed = await updateJob({ id: 'J-1', status: 'DELIVERED', colour: 'red' });
  const page = await open('?q=J-&sort=id');
  await page.getByRole('link', { name: 'J-1', exact: true }).click();
  const record = recordOf(page);
  await record.getByRole('heading', { name: 'job J-1' }).waitFor();
  expect(page.url()).toContain('record=J-1');
  const events = eventsOf(record);
  await expect
    .poll(() => textsOf(events))
    .toEqual([
      expect.stringMatching(/^1 changed field .*status"PENDING" → "DELIVERED"/),
      expect.stringContaining('syncUpdateJob 200'),
      expect.stringContaining('Created'),
      expect.stringContaining('asyncImportJobs 202'),
    ]);
  // The third job of the request has a callback and a scenario.
  expect(await record.textContent()).not.toMatch(/FAIL-J-3|No such street|lost-streets|msg_/);
  const { body: stored } = await control('GET', '/jobs/J-1');
  await record.getByRole('link', { name: 'All fields' }).click();
  const shown = async () => JSON.parse((await record.getByRole('group', { name: 'JSON' }).textContent()) ?? '{}');
  await expect.poll(shown).toEqual(stored);
  await record.getByRole('link', { name: 'Overview' }).click();
  await events.getByRole('link', { name: idOf(changed) }).click();
  await requestDetail(page).getByText('unknown field "colour"').first().waitFor();
  await page.goBack();
  await record.getByRole('heading', { name: 'job J-1' }).waitFor();
});

inBrowser('characters that nobody sees are written as their code; dots are a project of their own', async () => {
  await createJobs({ id: 'J\u202e-1', status: 'PENDING', address: { locality: 'Bo\u200bnn' } });
  await createJobs({ id: 'two  spaces\t1', status: 'D\u202eONE' }, `${'0123456789'.repeat(5)}-end`, '  ', '..');
  const page = await open('?record=two%20%20spaces%091');
  await recordOf(page).getByText('got "D\\u202eONE"').first().waitFor();
  const [title] = await recordOf(page).getByRole('heading', { level: 2 }).allInnerTexts();
  expect(title).toContain('two  spaces\\u00091');
  await page.keyboard.press('Escape');
  await page.getByRole('grid', { name: 'Jobs' }).getByText('Bo\\u200bnn', { exact: true }).waitFor();
  await page.getByRole('link', { name: '012345678901234567…7890123456789-end', exact: true }).waitFor();
  await page.getByRole('link', { name: '\\u0020\\u0020', exact: true }).waitFor();
  await page.getByRole('link', { name: '..', exact: true }).click();
  await recordOf(page).getByText('browsers cannot send "." or ".."').waitFor();
  await page.getByRole('link', { name: 'J\\u202e-1', exact: true }).click();
  await recordOf(page).getByRole('heading', { name: 'job J\\u202e-1' }).waitFor();
  await recordOf(page).getByRole('insertion').getByText('"J\\u202e-1"', { exact: true }).waitFor();
  for (const name of ['.', '..']) {
    const dots = await browser.open(sandbox.url(), `/records?project=${name}`);
    await dots.getByText('No jobs yet').waitFor();
    await dots.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Requests' }).click();
    await dots.getByText(`Project ${name} does not exist yet.`).waitFor();
    await expect.poll(() => dots.getByRole('grid').count()).toBe(0);
  }
});

inBrowser('a route lists its jobs in order, and a device has its driver and place', async () => {
  const jobs = [{ id: 'B' }, { id: 'C', status: 'ARRIVING' }, { id: 'A' }];
  await sandbox.api('POST', `/sync/projects/${project()}/routes/batch`, { routes: [{ id: 'R-1', jobs }] });
  const locate = (minute: number) =>
    sandbox.api('POST', `/projects/${project()}/locations`, {
      deviceId: 'van-1',
      eventDateTime: `2026-03-02T19:${String(minute).padStart(2, '0')}:00+10:00`,
      geoJson: { type: 'Point', coordinates: [153 + minute / 100, -27.4] },
    });
  await locate(0);
  await locate(54);
  await createJobs({ id: 'J-1', driver: { deviceId: 'van-1', firstName: 'Ana', lastName: 'Silva' } });
  const page = await open('?collection=routes&record=R-1');
  const jobIds = page.getByRole('region', { name: 'Jobs in order' }).getByRole('rowheader');
  await expect.poll(() => textsOf(jobIds)).toEqual(['B', 'C', 'A']);
  await page.getByRole('row').filter({ hasText: 'ARRIVING' }).getByRole('link', { name: 'C' }).click();
  await recordOf(page).getByRole('heading', { name: 'job C' }).waitFor();
  await recordOf(page).getByRole('link', { name: 'R-1' }).click();
  await recordOf(page).getByRole('heading', { name: 'route R-1' }).waitFor();

  await page.getByRole('link', { name: 'Devices' }).click();
  const row = bodyRows(page.getByRole('grid', { name: 'Devices' }));
  for (const text of ['Ana Silva', '2026-03-02 09:54:00', '-27.40000, 153.54000'])
    await row.getByText(text, { exact: true }).waitFor();
  await row.getByRole('link', { name: 'van-1' }).click();
  // The sandbox restores what a snapshot has.
  const written = { deviceId: 'van-1', createdAt: '2026-03-02T19:00:00+10:00', geoJson: { coordinates: ['153'] } };
  const restored = { version: 1, jobs: [], orders: [], routes: [], users: [], locations: [written] };
  await control('PUT', '/snapshot', restored);
  await recordOf(page).getByText('2026-03-02 09:00:00 UTC').waitFor();
});

inBrowser('the page of an id shows its events as they happen, and says why a job never came to be', async () => {
  await importJobs({ id: 'JOB-1', address: { locality: 'Bonn' } }, 'FAIL-2');
  const page = await openId('JOB-1');
  await page.getByText('No record yet: asyncImportJobs is pending').waitFor();
  await advance();
  await eventsOf(page).getByText('Created').waitFor();
  await updateJob({ id: 'JOB-1', status: 'DISPATCH', address: { locality: 'Köln' } });
  const latest = eventsOf(page).first();
  await latest.getByText('2 changed fields').waitFor();
  expect(await latest.getByRole('deletion').textContent()).toBe('"Bonn"');
  expect(await latest.getByRole('insertion').allTextContents()).toEqual(['"Köln"', '"DISPATCH"']);
  await main(page).getByRole('status').getByText('DISPATCH').waitFor();
  // As of more events than are loaded at most.
  await page.route('**/entities/**', (route) =>
    route.continue({
      url: route
        .request()
        .url()
        .replace(/limit=\d+/, 'limit=1'),
    }),
  );
  await updateJob({ id: 'JOB-1', status: 'ARRIVING' });
  await page.getByRole('button', { name: 'Load more' }).click();
  await page.getByText('Only the first 1 are shown.').waitFor();
  await page.unroute('**/entities/**');
  await page.goto(`${sandbox.url()}/_sandbox/#/entity?project=${project()}&id=FAIL-2`);
  await page.getByText('No record, because asyncImportJobs failed after its response').waitFor();
  await page.getByRole('link', { name: /^msg_/ }).first().click();
  await expect.poll(() => page.url()).toContain('/callbacks?');
});

inBrowser('an id that no request names leads to the requests that may have had it, and to other projects', async () => {
  const path = `/async/projects/${project()}/jobs`;
  const text = '{"jobs":[{"id":"JOB-1"}]}';
  const json = { 'content-type': 'application/json' };
  await sandbox.api('POST', path, text, { ...json, apikey: 'wrong' });
  await sandbox.api('POST', `/async/project/${project()}/jobs`, text, json);
  const wrong = await sandbox.api('POST', path, text.replace('jobs', 'job'), json);
  const other = freshProject();
  await sandbox.api('POST', `/sync/projects/${other}/jobs/batch`, { jobs: [{ id: 'JOB-1' }] });
  const page = await openId('JOB-1');
  await page.getByText(`No request in the journal of project ${project()} names this id`).waitFor();
  const unread = page.getByRole('region', { name: 'Rejected requests that may have had it' }).getByRole('listitem');
  await expect
    .poll(() => textsOf(unread))
    .toEqual([
      expect.stringMatching(/^400 asyncImportJobs .*has the text JOB-1$/),
      expect.stringMatching(/^404 POST \/async\/project\/.*body was not read$/),
      expect.stringMatching(/^401 asyncImportJobs .*body was not read$/),
    ]);
  await unread.first().getByRole('link').click();
  await requestDetail(page).getByText(idOf(wrong)).waitFor();
  await page.goBack();
  await unread.last().getByRole('link').click();
  await requestDetail(page).getByRole('link', { name: 'Request', exact: true }).click();
  await requestDetail(page).getByText('The body is not in the journal.').waitFor();
  await page.goBack();
  await page.getByText(`Project ${other} has a record with this id.`).getByRole('link').click();
  await eventsOf(page).getByText('Created').waitFor();
});

inBrowser('a list is printed with all of its rows, and without the frame', async () => {
  await createJobs(...Array.from({ length: 60 }, (_, n) => `J-${n}`));
  const page = await open();
  await expect.poll(() => rowLinks(page, 'Jobs').count()).toBe(60);
  await chooseDark(page);
  await page.emulateMedia({ media: 'print' });
  const { y = 0, height = 0 } = (await rowLinks(page, 'Jobs').last().boundingBox()) ?? {};
  const whole = Number(await page.evaluate('document.documentElement.scrollHeight'));
  expect(y).toBeGreaterThan(800);
  expect(y + height).toBeLessThanOrEqual(whole);
  expect(await navigation(page).count()).toBe(0);
  expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
});

inBrowser('bodies, a list beside a detail, and the parts of the reference are printed whole', async () => {
  const answer = await importJobs(...Array.from({ length: 40 }, (_, n) => `J-${n}`));
  for (let count = 0; count < 20; count += 1) await importOrders('O-1');
  for (const [screen, last] of [
    [`live?request=${idOf(answer)}&detail=request`, '"J-39"'],
    ['reference?operation=asyncImportJobs', 'Responses'],
  ] as const) {
    const page = await console.open(screen);
    await main(page).getByText(last, { exact: true }).waitFor();
    await page.emulateMedia({ media: 'print' });
    // A4, landscape.
    await page.setViewportSize({ width: 1046, height: 720 });
    const cut = await page.evaluate(`[...document.querySelectorAll('main :not(textarea)')]
      .filter((one) => /auto|hidden/.test(getComputedStyle(one).overflowY) && one.clientHeight > 9)
      .filter(({ clientHeight, scrollHeight }) => scrollHeight > clientHeight + 2)
      .map(({ outerHTML }) => outerHTML.slice(0, 99))`);
    expect(cut).toEqual([]);
  }
});

/** One screen shows what went wrong, with the next step for each, and what the clients have met of the API. */
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { copied, idOf, inBrowser, itemWith, rowLinks, textsOf, useConsole } from './page.ts';

const console = useConsole();
const { sandbox, browser, project, importJobs, importOrders, activate, advance, control } = console;

const open = (query = '') => console.open(`quality${query}`);
const listed = (page: Page, list = 'Problems') =>
  page.getByRole('list', { name: list, exact: true }).getByRole('listitem');
const problem = (page: Page, text: string): Locator => listed(page).filter({ hasText: text });
const rowOf = (page: Page, operation: string) =>
  page.getByRole('row').filter({ has: page.getByText(operation, { exact: true }) });
const itemOf = (page: Page, kind: string) => itemWith(page, page.getByRole('list', { name: /^Failures of / }), kind);

inBrowser('a problem has a cause, a count, advice, and a link to exactly its requests', async () => {
  const first = await importJobs({ id: 'J-1', status: 'DELIVERD' }, { id: 'J-2', status: 'DONE' });
  const second = await importJobs({ id: 'J-3', status: 'ARIVING' });
  const other = await importJobs({ id: 5 });
  const page = await open();
  await page.getByText('2 of 2 problems').waitFor();
  const [text] = await textsOf(problem(page, 'wrong value'));
  for (const part of [
    ...['asyncImportJobs', 'entry failed', '3 events in 2 requests', 'status expected one of PENDING'],
    ...['got "ARIVING", did you mean ARRIVING?', 'Send one of the expected values, in the same spelling.'],
  ])
    expect(text).toContain(part);
  const ids = async () => (await textsOf(rowLinks(page, 'Requests'))).map((one) => one.split(' ').at(-1));
  await problem(page, 'wrong value').getByRole('link', { name: 'Show its 2 requests' }).click();
  await expect.poll(ids).toEqual([second, first].map(idOf));
  // The filter has the words of the problem.
  await page.getByRole('button', { name: 'Problem: wrong value: status expected one of PENDING' }).waitFor();
  await page.reload();
  await expect.poll(ids).toEqual([second, first].map(idOf));
  await page.goBack();
  await problem(page, 'wrong type').getByRole('link', { name: 'Show its request' }).click();
  await expect.poll(ids).toEqual([idOf(other)]);
});

inBrowser('problems that a scenario caused are folded; all are filtered and searched in the URL', async () => {
  await importJobs({ id: 'J-1', colour: 'red' });
  await importJobs({ id: 5 });
  const rules = [{ when: { operation: 'syncImportOrders' }, then: { respond: { status: 500 } }, times: 1 }];
  await activate({ name: 'orders-down', rules });
  await importOrders('O-1');
  // Old links open the tab.
  const page = await console.open('problems');
  await page.getByText('3 of 3 problems').waitFor();
  expect(await listed(page).count()).toBe(2);
  const caused = listed(page, 'Problems caused by scenarios');
  expect(await caused.count()).toBe(0);
  await page.getByText('1 problem caused by scenarios on purpose').click();
  const link = caused.getByRole('link', { name: 'Active scenarios' });
  expect(await link.getAttribute('href')).toContain(`#/scenarios?project=${project()}&q=orders-down`);
  await page.getByRole('button', { name: 'Severity' }).click();
  await page.getByRole('checkbox', { name: 'warning 1' }).check();
  await page.getByText('1 of 3 problems').waitFor();
  await page.getByLabel('Search problems').fill('COLOUR');
  await expect.poll(() => textsOf(listed(page))).toEqual([expect.stringContaining('unknown field "colour"')]);
});

inBrowser('problems appear when they occur, with the place where each is solved', async () => {
  await console.freeze();
  await console.setEndpoint({ url: 'http://127.0.0.1:9/' });
  await importOrders('O-1');
  const page = await open();
  await page.getByText('No problems found').waitFor();
  await control('POST', '/callbacks', { type: 'orders.import.failed' });
  await advance();
  await page.getByText('1 of 1 problem').waitFor();
  await importJobs({ id: 'J-1', status: 'DELIVERD' });
  await importOrders('O-1');
  await sandbox.api('PATCH', `/sync/projects/${project()}/jobs`, { id: 'J-9', status: 'DELIVERED' });
  await sandbox.api('POST', `/async/projects/${project()}/jobs`, '{');
  await sandbox.api('POST', `/async/projects/${project()}/job`, { jobs: [] });
  await sandbox.api('POST', `/async/projects/${project()}/jobs`, { jobs: [] }, { apikey: 'wrong' });
  for (const [text, step, target] of [
    ['wrong value', 'Read asyncImportJobs', `reference?project=${project()}&operation=asyncImportJobs`],
    ['no operation has this path', 'Read asyncImportJobs', 'operation=asyncImportJobs'],
    ['exists already', 'Events of O-1', `entity?project=${project()}&id=O-1`],
    ['is unknown', 'Events of J-9', `entity?project=${project()}&id=J-9`],
    ['is not JSON', 'Open the latest request', `live?project=${project()}&request=req_`],
    ['unknown key', 'See the API key', 'connect'],
    ['connection refused', 'Open the callback', `callbacks?project=${project()}&callback=msg_`],
  ] as const) {
    const link = problem(page, text).getByRole('link', { name: step });
    await expect.poll(() => link.getAttribute('href')).toContain(target);
  }
  await control('POST', '/reset');
  await page.getByText('No requests yet').waitFor();
});

inBrowser('coverage is relative to the operations that were used, and agrees with the requests', async () => {
  const refused = await importJobs('J-1', 'REFUSE-1');
  const page = await open();
  await page.getByRole('navigation', { name: 'Quality' }).getByRole('link', { name: 'Coverage' }).click();
  await page.getByText('1 of 29 operations used: 1 of 26 failures met').waitFor();
  const row = rowOf(page, 'asyncImportJobs');
  await row.getByText('1 of 26').waitFor();
  await page.getByText('28 operations not used').click();
  const link = page.getByRole('link', { name: 'updateUser', exact: true });
  expect(await link.getAttribute('href')).toContain('operation=updateUser');
  await row.getByRole('button', { name: 'asyncImportJobs' }).click();
  await itemOf(page, 'refused').getByText('1 time').waitFor();
  const first = itemOf(page, 'refused').getByRole('link', { name: 'First request' });
  expect(await first.getAttribute('href')).toContain(`request=${idOf(refused)}`);
  // Requests with a wrong key count in the coverage of all projects.
  await sandbox.api('POST', `/async/projects/${project()}/jobs`, { jobs: [] }, { apikey: 'wrong' });
  const all = await browser.open(sandbox.url(), '/quality?tab=coverage&op=asyncImportJobs');
  await itemOf(all, 'status-401')
    .getByText(/^\d+ times?$/)
    .waitFor();
});

inBrowser('coverage activates the scenario of what was not met, and counts it when the client meets it', async () => {
  await console.freeze();
  await console.setEndpoint({ url: 'http://127.0.0.1:9/' });
  await importJobs('FAIL-1');
  await advance();
  const page = await open('?tab=coverage&op=asyncImportJobs&met=no');
  const activateOf = (kind: string) => itemOf(page, kind).getByRole('button', { name: `Activate for ${project()}` });
  await activateOf('status-413').click();
  await page.getByText(`status-413 is active for ${project()}. Now call asyncImportJobs.`).waitFor();
  expect((await importJobs('J-2')).status).toBe(413);
  await expect.poll(() => itemOf(page, 'status-413').count()).toBe(0);
  await itemOf(page, 'status-503').getByRole('button', { name: 'Copy id' }).click();
  await expect.poll(() => copied(page)).toBe('ERROR-503-1');
  expect((await control('GET', '/scenarios')).body.scenarios).toEqual(['asyncimportjobs-status-413']);
  await rowOf(page, 'jobs.import.failed').getByRole('button', { name: 'jobs.import.failed' }).click();
  await itemOf(page, 'delivered').getByRole('link', { name: 'Set the receiver' }).waitFor();
  await activateOf('callback-delay').click();
  await page.getByText('Now let an entry fail.').waitFor();
  await page.getByLabel('Search coverage').fill('callback-delay');
  await expect.poll(() => rowOf(page, 'asyncImportJobs').count()).toBe(0);
});

/** The details of a request: its outcome first, with errors at their locations, kept up to date. */
import type { Locator, Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { hasFocus, openProjects, requestDetail, textOf } from './page.ts';

const sandbox = useSandbox();
const browser = useBrowser();
let project = '';

beforeEach(() => {
  project = freshProject();
});

const send = (body: object | string, path = `/async/projects/${project}/jobs`) => sandbox.api('POST', path, body);
const open = (answer: { headers: Record<string, string> }) =>
  browser.open(sandbox.url(), `/live?project=${project}&request=${answer.headers['x-request-id']}`);
const openTab = (page: Page, name: string) => requestDetail(page).getByRole('link', { name, exact: true }).click();
const outcomeOf = (page: Page) => requestDetail(page).getByRole('region', { name: 'Result' });
const bodyOf = (page: Page) => requestDetail(page).getByRole('region', { name: 'Request' }).getByRole('group').last();

async function isInSight(element: Locator): Promise<boolean> {
  const { y = -1, height = 0 } = (await element.boundingBox()) ?? {};
  return y > 0 && y + height < 800;
}

describe.skipIf(noBrowser)('the outcome', () => {
  test('shows rejected, stored and failed entries with their reasons and their locations in the body', async () => {
    await send({ jobs: [{ id: 'J-0' }] });
    const jobs = [{ id: 'J-1', status: 'DELIVERD' }, { id: 'J-2' }, { id: 'FAIL-GEOCODE-3' }, { id: 'J-0' }];
    const page = await open(await send({ jobs }));
    await outcomeOf(page).getByText('2 entries failed later').waitFor();
    // The callback is raised after its entries have failed.
    await expect
      .poll(() => textOf(outcomeOf(page)))
      .toMatch(/reported by callback msg_\w+\s*FAIL-GEOCODE-3: Address could not be geocoded\s*J-0: .*exists/);
    const text = await textOf(outcomeOf(page));
    expect(text).toContain('1 entry rejectedJ-1: status: expected one of');
    expect(text).toContain('1 record created or updated: jobs J-2');

    await outcomeOf(page).getByRole('button', { name: 'Show the first error' }).click();
    await expect.poll(() => isInSight(requestDetail(page).getByText('did you mean DELIVERED?'))).toBe(true);
    await expect.poll(() => page.url()).toContain('detail=request');
    const body = await textOf(bodyOf(page));
    // After the line of the value, not only in its entry.
    expect(body).toMatch(/"status": "DELIVERD" expected one of .*did you mean DELIVERED\?/);
    expect(body).toMatch(/"id": "J-2"/);
    expect(body).toContain('failed later: FAIL-GEOCODE-3: Address could not be geocoded');
    await openTab(page, 'Overview');
    await outcomeOf(page).getByRole('link', { name: /^msg_/ }).click();
    await page.getByRole('heading', { level: 2, name: 'jobs.import.failed' }).waitFor();
  });

  test('shows pending entries while the clock is frozen, and their result afterwards', async () => {
    await sandbox.freeze(project);
    const page = await open(await send({ jobs: [{ id: 'J-1' }, { id: 'J-2' }] }));
    await outcomeOf(page).getByText("2 pending entries. The project's clock is frozen").waitFor();
    await outcomeOf(page).getByText('No records changed yet.').waitFor();
    await sandbox.advance(project);
    await outcomeOf(page).getByText('2 records created or updated').waitFor();
    await expect.poll(() => textOf(outcomeOf(page))).not.toContain('pending');
  });

  test('shows the reason of a rejection, and marks where a body stops being JSON', async () => {
    const page = await open(await send('{"jobs":[{"id":"J-1"},]}'));
    await outcomeOf(page).getByText('the body is not JSON').waitFor();
    await outcomeOf(page).getByText('No records changed.').waitFor();
    await openTab(page, 'Request');
    await requestDetail(page).getByText(']}', { exact: true }).waitFor();
  });

  test('shows a broken connection, and warnings', async () => {
    const reset = { name: 'gone', rules: [{ then: { connection: 'reset' } }] };
    await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [reset] });
    await send({ jobs: [] }).catch(() => undefined);
    const [entry] = await sandbox.items(project, 'requests');
    const page = await open({ headers: { 'x-request-id': String(entry?.['id']) } });
    await outcomeOf(page).getByText('No response: a scenario broke the connection (reset).').waitFor();
    await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [] });
    const jobs = [
      { id: 'J-1', colour: 'red' },
      { id: 'J-2', size: 'XL' },
    ];
    const other = await open(await send({ jobs }));
    await outcomeOf(other).getByText('2 warnings', { exact: true }).waitFor();
    await outcomeOf(other).getByText('/jobs/0/colour: unknown field').waitFor();
    await outcomeOf(other).getByText('/jobs/1/size: unknown field').waitFor();
  });

  test('reports that a reset deleted the request, and offers no actions', async () => {
    const page = await open(await send({ jobs: [{ id: 'J-1' }] }));
    await requestDetail(page).getByRole('button', { name: 'Send again' }).waitFor();
    await sandbox.control('POST', `/projects/${project}/reset`);
    await requestDetail(page).getByText('the project was reset').waitFor();
    await expect.poll(() => requestDetail(page).getByRole('group', { name: 'Actions' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await expect.poll(() => requestDetail(page).count()).toBe(0);
  });
});

describe.skipIf(noBrowser)('a fork from a request', () => {
  test('opens the records as they were after it', async () => {
    const answer = await send({ orders: [{ id: 'O-1' }] }, `/sync/projects/${project}/orders`);
    await send({ orders: [{ id: 'O-2' }] }, `/sync/projects/${project}/orders`);
    const page = await open(answer);
    await requestDetail(page).getByRole('button', { name: 'Fork from here' }).click();
    await page.getByText(`This is ${project}-fork, a copy of ${project} as it was after the request.`).waitFor();
    await expect.poll(() => requestDetail(page).count()).toBe(0);
    expect(await sandbox.items(`${project}-fork`, 'orders')).toMatchObject([{ id: 'O-1' }]);
    await expect.poll(() => page.url()).toContain(`#/records?project=${project}-fork`);
  });

  test('shows why it is refused', async () => {
    await sandbox.control('PUT', `/projects/${project}/clock`, { mode: 'frozen' });
    await sandbox.control('POST', `/projects/${project}/fork`, { to: `${project}-copy` });
    const answer = await send({ jobs: [{ id: 'J-1' }] }, `/async/projects/${project}-copy/jobs`);
    const page = await open(answer);
    await requestDetail(page).getByRole('button', { name: 'Fork from here' }).click();
    await page.getByText('because its recording is incomplete: the project is a fork of').waitFor();
    await requestDetail(page).getByRole('button', { name: 'Fork from here' }).waitFor();
  });

  test('is not offered for a request without a project', async () => {
    const page = await open(await sandbox.api('POST', '/unknown', {}));
    await requestDetail(page).getByRole('button', { name: 'Send again' }).waitFor();
    expect(await requestDetail(page).getByRole('button', { name: 'Fork from here' }).count()).toBe(0);
  });
});

test.skipIf(noBrowser)('Escape closes an open menu first, then the request', async () => {
  const page = await open(await send({ jobs: [{ id: 'J-1' }] }));
  await requestDetail(page).getByText('Received').click();
  await expect.poll(() => hasFocus(requestDetail(page))).toBe(true);
  const menu = await openProjects(page);
  await page.keyboard.press('Escape');
  await expect.poll(() => menu.count()).toBe(0);
  expect(page.url()).toContain('request=');
  await page.keyboard.press('Escape');
  await expect.poll(() => requestDetail(page).count()).toBe(0);
});

/** One request closely: what came of it is said first, with its mistakes at their places, and stays true. */
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';

const sandbox = useSandbox();
const browser = useBrowser();
let project = '';

beforeEach(() => {
  project = freshProject();
});

const send = (body: object | string, path = `/async/projects/${project}/jobs`) => sandbox.api('POST', path, body);
const open = (answer: { headers: Record<string, string> }) =>
  browser.open(sandbox.url(), `/live?project=${project}&request=${answer.headers['x-request-id']}`);
const drawerOf = (page: Page) => page.getByRole('complementary', { name: 'Request' });
const outcomeOf = (page: Page) => drawerOf(page).getByRole('region', { name: 'Result' });
const textOf = async (page: Page) => ((await outcomeOf(page).textContent()) ?? '').replaceAll(/\s+/g, ' ');

describe.skipIf(noBrowser)('what came of it', () => {
  test('refused at once, stored, failed later: each with its reason, and where it stands in the body', async () => {
    await send({ jobs: [{ id: 'J-0' }] });
    const jobs = [{ id: 'J-1', status: 'DELIVERD' }, { id: 'J-2' }, { id: 'FAIL-GEOCODE-3' }, { id: 'J-0' }];
    const page = await open(await send({ jobs }));
    await outcomeOf(page).getByText('2 entries failed later').waitFor();
    const text = await textOf(page);
    expect(text).toContain('1 entry refused at once J-1: status: expected one of');
    expect(text).toContain('1 record stored or changed: jobs J-2');
    expect(text).toMatch(
      /reported by callback msg_\w+ inbox FAIL-GEOCODE-3: Address could not be geocoded\s*J-0: .*exists/,
    );

    const body = (await drawerOf(page).locator('pre').first().textContent()) ?? '';
    // Behind the very line, not only in its entry.
    expect(body).toMatch(/"status": "DELIVERD"\s*expected one of .*did you mean DELIVERED\?/);
    expect(body).toMatch(/"id": "J-2"/);
    expect(body).toContain('FAIL-GEOCODE-3: failed later: Address could not be geocoded');
    await outcomeOf(page).getByRole('button', { name: 'Show where in the body' }).click();
    const inSight = 'document.querySelector(".mistake").getBoundingClientRect()';
    expect(await page.evaluate(`${inSight}.top > 0 && ${inSight}.bottom < innerHeight`)).toBe(true);
    await outcomeOf(page).getByRole('link', { name: /^msg_/ }).click();
    await page.getByRole('heading', { level: 1, name: /^Callback msg_/ }).waitFor();
  });

  test('while the clock stands it says what waits, and it shows by itself when that is done', async () => {
    await sandbox.freeze(project);
    const page = await open(await send({ jobs: [{ id: 'J-1' }, { id: 'J-2' }] }));
    await outcomeOf(page).getByText("2 entries wait to be carried out, and the project's clock stands").waitFor();
    await outcomeOf(page).getByText('No record was changed so far.').waitFor();
    await sandbox.advance(project);
    await outcomeOf(page).getByText('2 records stored or changed').waitFor();
    expect(await textOf(page)).not.toContain('wait');
  });

  test('a refusal says why; what is no JSON is marked where it ceases to be', async () => {
    const page = await open(await send('{"jobs":[{"id":"J-1"},]}'));
    await outcomeOf(page).getByText('the body is not JSON').waitFor();
    expect(await drawerOf(page).locator('mark').textContent()).toBe(']}');
    await outcomeOf(page).getByText('No record was changed.').waitFor();
  });

  test('a broken connection, and warnings', async () => {
    const reset = { name: 'gone', rules: [{ then: { connection: 'reset' } }] };
    await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [reset] });
    await send({ jobs: [] }).catch(() => undefined);
    const [entry] = await sandbox.items(project, 'requests');
    const page = await open({ headers: { 'x-request-id': String(entry?.['id']) } });
    await outcomeOf(page).getByText('No answer: a scenario broke the connection (reset).').waitFor();
    await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [] });
    const other = await open(await send({ jobs: [{ id: 'J-1', colour: 'red' }] }));
    await outcomeOf(other).getByText('1 warning: /jobs/0/colour').waitFor();
  });

  test('of a project that was reset it says that it is gone, and offers nothing', async () => {
    const page = await open(await send({ jobs: [{ id: 'J-1' }] }));
    await drawerOf(page).getByRole('button', { name: 'Send again' }).waitFor();
    await sandbox.control('POST', `/projects/${project}/reset`);
    await drawerOf(page).getByText('its project was reset').waitFor();
    expect(await drawerOf(page).getByRole('button').allTextContents()).toEqual(['Close']);
    await page.keyboard.press('Escape');
    await expect.poll(() => drawerOf(page).count()).toBe(0);
  });
});

test.skipIf(noBrowser)('Escape closes it wherever the focus is', async () => {
  const page = await open(await send({ jobs: [{ id: 'J-1' }] }));
  await drawerOf(page).getByText('Request id').click();
  expect(await page.evaluate('document.activeElement.tagName')).toBe('BODY');
  await page.keyboard.press('Escape');
  await expect.poll(() => drawerOf(page).count()).toBe(0);
});

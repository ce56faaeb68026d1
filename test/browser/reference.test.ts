/** A new user reads the API reference, sends a request, and finds it in the journal. */
import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { shippedProfile } from '../../src/openapi/profile/profile.ts';
import { findBarriers, noBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, type TestSandbox, useSandbox } from '../harness/sandbox.ts';
import { copied, main, textOf } from './page.ts';
import { bodyField, execute, form, link, links, response } from './reference-page.ts';

const changes = {
  basePath: '/field',
  operations: { asyncImportJobs: { path: '/v2/jobs?project={projectId}', method: 'PUT' } },
} as const;
const folder = mkdtempSync(join(tmpdir(), 'profile-'));
const profile = join(folder, 'profile.yaml');
writeFileSync(profile, JSON.stringify(changes));

const inBody = { identifiers: { projectId: 'body', jobId: 'header:x-job' }, operations: {} } as const;
const bodyProfile = join(folder, 'body.yaml');
const paths = {
  asyncUpdateJob: { path: '/job' },
  asyncUpdateJobInSubproject: { path: '/subprojects/{subProjectId}/job' },
};
writeFileSync(bodyProfile, JSON.stringify({ ...inBody, operations: paths }));

const sandbox = useSandbox();
const moved = useSandbox({ profile }, { ...shippedProfile, ...changes });
const projectInBody = useSandbox({ profile: bodyProfile }, { ...shippedProfile, ...inBody, operations: paths });
const locked = useSandbox({ apiKeys: ['secret-key'] });
const browser = useBrowser();
let project = '';

beforeEach(() => {
  project = freshProject();
});

const open = (query = '', { url } = sandbox, options = {}) =>
  browser.open(url(), `/reference?project=${project}${query}`, options);

/** Method, path and id of each operation that the page lists, sorted. */
async function listed(page: Page): Promise<readonly string[]> {
  const all = await links(page).evaluateAll(
    (found: readonly { getAttribute(name: string): string; textContent: string }[]) =>
      found.map((one) => [one.getAttribute('title').split('\n')[1], one.textContent.trim()]),
  );
  // The text is the method and the id.
  return all.map(([target = '', text = '']) => `${target} ${text.replace(/^[A-Z]+\s*/, '')}`).toSorted();
}

/** The same of each operation that the sandbox serves. */
async function served({ control }: TestSandbox): Promise<readonly string[]> {
  const { body } = await control('GET', '/openapi.json');
  const items = Object.entries(body.paths as Record<string, Record<string, { operationId?: string }>>);
  const all = items.flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { operationId }]) => operationId !== undefined)
      .map(([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`),
  );
  return all.toSorted();
}

describe.skipIf(noBrowser)('the operations', () => {
  test('are all 29 that are served, and the callback', async () => {
    const page = await open();
    const all = await served(sandbox);
    expect(all).toHaveLength(29);
    const expected = [...all, 'POST downstreamFailed downstreamFailed'].toSorted();
    await expect.poll(() => listed(page)).toEqual(expected);
  });

  test('are listed where a profile has moved them, and requests are sent there', async () => {
    const page = await open('&operation=asyncImportJobs', moved);
    const all = await served(moved);
    expect(all).toHaveLength(29);
    expect(all).toContain('PUT /field/v2/jobs asyncImportJobs');
    expect(all.filter((one) => one.includes(' /field/'))).toHaveLength(29);
    await expect.poll(() => listed(page)).toEqual([...all, 'POST downstreamFailed downstreamFailed'].toSorted());
    await execute(page, '{"jobs":[{"id":"J-1"}]}', 202);
    const url = `/field/v2/jobs?project=${project}`;
    expect(await moved.items(project, 'requests')).toMatchObject([{ request: { method: 'PUT', url } }]);
    await expect.poll(() => moved.items(project, 'jobs')).toMatchObject([{ id: 'J-1' }]);
  });

  test('are called by the command of an empty list, wherever a profile has moved them', async () => {
    const page = await browser.open(moved.url(), `/live?project=${project}`);
    await main(page).getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByText('Copied.').waitFor();
    await promisify(execFile)('sh', ['-c', await copied(page)], { timeout: 20_000 });
    expect(await moved.items(project, 'requests')).toMatchObject([{ operation: 'asyncImportJobs', status: 202 }]);
  });

  test('have the project in the body and the job in a header, if a profile moved them there', async () => {
    await projectInBody.api('POST', '/sync/projects/jobs/batch', { projectId: project, jobs: [{ id: 'J-1' }] });
    const page = await open('&operation=asyncUpdateJob', projectInBody);
    await expect.poll(() => form(page).getByLabel('x-job').inputValue()).toBe('J-1');
    await expect
      .poll(async () => JSON.parse(await bodyField(page).inputValue()))
      .toMatchObject({ projectId: project, status: 'DELIVERED' });
    await form(page).getByRole('button', { name: 'Send' }).click();
    await response(page).getByText('202').first().waitFor();
    await expect.poll(() => projectInBody.items(project, 'jobs')).toMatchObject([{ id: 'J-1', status: 'DELIVERED' }]);
  });

  test.each([
    ['ASYNCIMPORTJOBS', 'by id', ['asyncImportJobs', 'asyncImportJobsInSubproject']],
    ['/LOCATIONS/Batch', 'by path', ['submitLocations']],
    ['batch update of JOBS', 'by summary', ['asyncUpdateJobs', 'asyncUpdateJobsInSubproject']],
    ['users', 'by heading', ['registerUser', 'updateUser']],
  ])('are filtered by %s: %s', async (typed, _how, ids) => {
    const page = await open();
    await page.getByLabel('Filter operations').fill(typed);
    await expect.poll(async () => (await listed(page)).map((one) => one.split(' ')[2]).toSorted()).toEqual(ids);
  });

  test('are reached by the arrow keys from the filter, and opened by Enter', async () => {
    const page = await open();
    await page.getByLabel('Filter operations').fill('orders');
    for (const key of ['ArrowDown', 'ArrowDown', 'j', 'k', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('article', { name: 'asyncUpdateOrder' }).waitFor();
    await expect.poll(() => page.url()).toContain('operation=asyncUpdateOrder');
  });

  test('have a link each, which opens them', async () => {
    const page = await open('&operation=registerUser');
    await expect.poll(() => link(page, 'registerUser').getAttribute('aria-current')).toBe('page');
    await link(page, 'updateUser').click();
    await page.getByRole('article', { name: 'updateUser' }).waitFor();
    await expect.poll(() => page.url()).toContain('operation=updateUser');
    await page.getByRole('button', { name: 'Copy link to this view' }).click();
    await expect.poll(() => copied(page)).toBe(page.url());
    await page.goto(`${sandbox.url()}/_sandbox/#/reference?project=${project}&operation=fly`);
    await page.getByRole('alert').getByText('Operation fly not found.').waitFor();
    await page.getByRole('link', { name: 'API reference' }).first().click();
    await page.getByRole('article', { name: 'Overview' }).waitFor();
  });

  test('are in a menu if there is no room for a list', async () => {
    const page = await open('', sandbox, { width: 390 });
    await page.getByLabel('Operation', { exact: true }).selectOption('POST registerUser');
    await page.getByRole('article', { name: 'registerUser' }).waitFor();
    await page.getByRole('button', { name: 'Try it' }).click();
    await expect.poll(async () => (await form(page).boundingBox())?.y ?? 999).toBeLessThan(300);
  });
});

describe.skipIf(noBrowser)('the description', () => {
  test('is a tree of the body with types, required fields, values and assumptions', async () => {
    const page = await open('&operation=asyncImportJobs');
    const text = page.getByRole('article', { name: 'asyncImportJobs' });
    await text.getByText('/async/').waitFor();
    await text.getByText('Assumption: That it travels in the path.').waitFor();
    const id = text.getByRole('listitem').filter({ hasText: 'Your identifier of the job' }).last();
    await expect.poll(() => textOf(id)).toMatch(/^id string required .*not empty · example "JOB-20931"$/);
    expect(await text.getByText('streetAddress').count()).toBe(0);
    await text.getByText('address', { exact: true }).first().click();
    await text.getByText('streetAddress', { exact: true }).waitFor();
    const status = text.getByRole('listitem').filter({ hasText: 'Status of the job' }).last();
    await status.getByText(/^\d+ values$/).click();
    await status.getByText('On its way.').waitFor();
  });

  test('has a response for each status, with its fields and examples', async () => {
    const page = await open('&operation=asyncImportJobs');
    const text = page.getByRole('article', { name: 'asyncImportJobs' });
    const responses = text.getByRole('group', { name: 'Responses' });
    for (const status of ['202', '400', '401', '404', '429', '503'])
      await responses.getByText(status, { exact: true }).waitFor();
    await text.getByText('trackingId').first().waitFor();
    await responses.getByText('The request is invalid').click();
    await text.getByText('Example: An invalid body').click();
    await text.getByText('"/jobs: expected an array, got an object"').waitFor();
  });

  test('leads to the callback, which is shown with its payload', async () => {
    const page = await open('&operation=asyncImportJobs');
    await page.getByRole('article').getByRole('link', { name: 'downstreamFailed' }).click();
    await page.getByRole('article', { name: 'downstreamFailed' }).waitFor();
    await page.getByRole('group', { name: 'JSON' }).getByText('"failed"').first().waitFor();
    expect(await form(page).count()).toBe(0);
  });
});

describe.skipIf(noBrowser)('the page', () => {
  test('is far below 600 kB, and asks for nothing after it is drawn', async () => {
    const page = await open('&operation=asyncImportJobs');
    await page.getByRole('article', { name: 'asyncImportJobs' }).waitFor();
    await form(page).waitFor();
    await browser.settle(page);
    const asked: string[] = [];
    page.on('request', (request) => {
      // Chromium asks for the icon again when the address changes.
      if (request.resourceType() !== 'other') asked.push(request.url());
    });
    const measured = (await page.evaluate(`(() => {
      const all = performance.getEntriesByType('resource');
      const size = all.reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0);
      const own = all.filter(({ name }) => /reference/.test(name)).reduce((sum, one) => sum + one.decodedBodySize, 0);
      return { size, own };
    })()`)) as { size: number; own: number };
    expect(measured.own).toBeLessThan(60_000);
    expect(measured.size).toBeLessThan(600_000);
    // Another operation is rendered from what is loaded.
    for (const id of ['syncCreateJobs', 'submitLocation']) {
      await link(page, id).click();
      await page.getByRole('article', { name: id, exact: true }).waitFor();
      await form(page).waitFor();
    }
    expect(asked).toEqual([]);
  });

  test('is accessible with all of a description open', async () => {
    const page = await open('&operation=registerUser');
    await page.getByRole('article', { name: 'registerUser' }).waitFor();
    const folds = page.getByRole('article', { name: 'registerUser' }).getByRole('group');
    for (let level = 0; level < 3; level += 1) {
      await folds.evaluateAll((all) => {
        for (const one of all) one.open = true;
      });
    }
    expect(await findBarriers(page)).toEqual([]);
    // The check of so many elements takes long on a slow machine.
  }, 90_000);

  test('asks for a secret key, and sends the entered key', async () => {
    const page = await open('&operation=syncImportOrders', locked);
    await page.getByText('This sandbox has its own API keys.').waitFor();
    await execute(page, '{"orders":[{"id":"O-1"}]}', 401);
    await form(page).getByLabel('API key').fill('secret-key');
    await page.keyboard.press('Tab');
    await execute(page, '{"orders":[{"id":"O-1"}]}', 200);
    const { body } = await locked.control('GET', `/projects/${project}/orders`);
    expect(body.items).toMatchObject([{ id: 'O-1' }]);
  });
});

/** A new user reads the API reference, tries an operation, and finds the request in the journal. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { shippedProfile } from '../../src/openapi/profile/profile.ts';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, type TestSandbox, useSandbox } from '../harness/sandbox.ts';
import { blocks, execute, operation } from './reference-page.ts';

const changes = {
  basePath: '/field',
  operations: { asyncImportJobs: { path: '/v2/jobs?project={projectId}', method: 'PUT' } },
} as const;
const profile = join(mkdtempSync(join(tmpdir(), 'profile-')), 'profile.yaml');
writeFileSync(profile, JSON.stringify(changes));

const sandbox = useSandbox();
const moved = useSandbox({ profile }, { ...shippedProfile, ...changes });
const locked = useSandbox({ apiKeys: ['secret-key'] });
const browser = useBrowser();
let project = '';

beforeEach(() => {
  project = freshProject();
});

const open = (query = '', { url } = sandbox) => browser.open(url(), `/reference?project=${project}${query}`);
/** Method, path and id of each operation that the page lists, sorted. */
async function listed(page: Page): Promise<readonly string[]> {
  const texts = await blocks(page).evaluateAll(
    (all: readonly { querySelector(selector: string): { textContent: string } | null }[]) =>
      all.map((one) =>
        ['.opblock-summary-method', '.opblock-summary-path', '.opblock-summary-operation-id']
          // Long paths are given places to break at.
          .map((selector) => (one.querySelector(selector)?.textContent ?? '').replaceAll('\u200b', '').trim())
          .join(' '),
      ),
  );
  return texts.toSorted();
}

/** The same of each operation that the sandbox serves. */
async function served({ control }: TestSandbox): Promise<readonly string[]> {
  const { body } = await control('GET', '/openapi.json');
  const paths = Object.entries(body.paths as Record<string, Record<string, { operationId?: string }>>);
  const all = paths.flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { operationId }]) => operationId !== undefined)
      .map(([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`),
  );
  return all.toSorted();
}

describe.skipIf(noBrowser)('reference', () => {
  test('lists all 29 operations as they are served', async () => {
    const page = await open();
    const all = await served(sandbox);
    expect(all).toHaveLength(29);
    // The callback is listed as well.
    const expected = [...all, 'POST downstreamFailed downstreamFailed'].toSorted();
    await expect.poll(() => listed(page)).toEqual(expected);
  });

  test('lists operations that a profile has moved, and sends requests to their new paths', async () => {
    const page = await open('&operation=asyncImportJobs', moved);
    const all = await served(moved);
    expect(all).toHaveLength(29);
    expect(all).toContain('PUT /field/v2/jobs asyncImportJobs');
    expect(all.filter((one) => one.includes(' /field/'))).toHaveLength(29);
    await expect.poll(() => listed(page)).toEqual([...all, 'POST downstreamFailed downstreamFailed'].toSorted());
    await execute(operation(page, 'asyncImportJobs'), '{"jobs":[{"id":"J-1"}]}', 202);
    const url = `/field/v2/jobs?project=${project}`;
    expect(await moved.items(project, 'requests')).toMatchObject([{ request: { method: 'PUT', url } }]);
    await expect.poll(() => moved.items(project, 'jobs')).toMatchObject([{ id: 'J-1' }]);
  });

  test('fills in project and key, and the request is in the journal', async () => {
    const page = await open('&operation=syncCreateJobs');
    const block = operation(page, 'syncCreateJobs');
    await block.getByRole('button', { name: 'Execute' }).waitFor();
    expect(await block.getByRole('textbox', { name: 'projectId' }).inputValue()).toBe(project);
    expect(await page.getByLabel('API key').inputValue()).toBe('sandbox-key');
    await execute(block, '{"jobs":[{"id":"J-1","status":"DELIVERED"}]}', 200);
    expect(await sandbox.items(project, 'jobs')).toMatchObject([{ id: 'J-1', status: 'DELIVERED' }]);

    await page.getByRole('link', { name: 'view request' }).click();
    const drawer = page.getByRole('complementary', { name: 'Request' });
    await drawer.getByRole('link', { name: 'jobs J-1' }).waitFor();
    const [request] = await sandbox.items(project, 'requests');
    expect(request).toMatchObject({ operation: 'syncCreateJobs', project, status: 200 });
    expect(page.url()).toContain(`request=${request?.['id']}`);
  });

  test('shows the errors that any client receives', async () => {
    const page = await open('&operation=submitLocation');
    const block = operation(page, 'submitLocation');
    await execute(block, '{"deviceId":"van-1"}', 400);
    await block.locator('.live-responses-table').getByText('/eventDateTime: required, but missing').first().waitFor();
  });

  test('asks for a secret key, and sends the entered key', async () => {
    const page = await open('&operation=syncImportOrders', locked);
    await page.getByText('This sandbox has its own API keys.').waitFor();
    const block = operation(page, 'syncImportOrders');
    await execute(block, '{"orders":[{"id":"O-1"}]}', 401);
    await page.getByLabel('API key').fill('secret-key');
    await page.keyboard.press('Tab');
    await execute(block, '{"orders":[{"id":"O-1"}]}', 200);
    const { body } = await locked.control('GET', `/projects/${project}/orders`);
    expect(body.items).toMatchObject([{ id: 'O-1' }]);
  });

  test('the URL contains the open operation, and opens it', async () => {
    const page = await open('&operation=registerUser');
    const opened = async () =>
      (await page.locator('.opblock.is-open .opblock-summary-operation-id').allTextContents()).join();
    await expect.poll(opened).toBe('registerUser');
    await page.getByRole('button', { name: 'updateUser' }).click();
    await expect.poll(() => page.url()).toContain('operation=updateUser');
    await page.getByRole('button', { name: 'updateUser' }).click();
    await expect.poll(() => page.url()).not.toContain('operation=');
    await expect.poll(opened).toBe('registerUser');
    await page.goto(`${sandbox.url()}/_sandbox/#/reference?project=${project}&operation=asyncUpdateOrder`);
    await expect.poll(opened).toContain('asyncUpdateOrder');
    await page.goto(`${sandbox.url()}/_sandbox/#/reference?project=${project}&operation=fly`);
    await page.getByRole('alert').getByText('Operation fly not found.').waitFor();
  });
});

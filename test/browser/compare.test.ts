/** A partner developer compares two requests, two callbacks and two recordings. */
import { describe, expect, test } from 'vitest';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { navigation, textOf } from './page.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });
const browser = useBrowser();

const idOf = ({ headers }: { headers: Record<string, string> }): string => String(headers['x-request-id']);
const orders = (project: string, ...ids: readonly string[]) =>
  sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: ids.map((id) => ({ id })) });

describe.skipIf(noBrowser)('compare', () => {
  test('marks what differs between two requests: status, bodies and headers', async () => {
    const project = freshProject();
    const a = idOf(await orders(project, 'O-1', 'O-2'));
    const b = idOf(await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id: 'O-3' }], note: 1 }));
    const page = await browser.open(sandbox.url(), `/compare?what=requests&a=${a}`);
    await page.getByLabel('Request B').fill(b);
    await page.getByLabel('Request B').press('Enter');
    const body = page.getByRole('group', { name: 'Request body beside each other' });
    await body.getByRole('deletion').filter({ hasText: 'O-1' }).waitFor();
    for (const word of ['1', '3']) await body.getByText(word, { exact: true }).waitFor();
    await expect
      .poll(() => textOf(page.getByRole('row', { name: /^Warnings/ })))
      .toMatch(/^Warnings ?none ?\/note: unknown field/);
    await expect.poll(() => page.url()).toContain(`b=${b}`);
    await expect.poll(() => page.url()).toContain(`project=${project}`);
    await expect
      .poll(() => navigation(page).getByRole('link', { name: 'Requests' }).getAttribute('aria-current'))
      .toBe('true');
    await page.getByRole('button', { name: 'Exchange A and B' }).click();
    await body.getByRole('insertion').filter({ hasText: 'O-1' }).waitFor();
  });

  test('an event of an id is compared with the request before it', async () => {
    const project = freshProject();
    await orders(project, 'O-1');
    await sandbox.api('PATCH', `/sync/projects/${project}/orders/O-1`, { status: 'READY' });
    const page = await browser.open(sandbox.url(), `/entity?project=${project}&id=O-1`);
    await expect
      .poll(() => navigation(page).getByRole('link', { name: 'Records' }).getAttribute('aria-current'))
      .toBe('true');
    await page.getByRole('link', { name: 'Compare with the request before' }).click();
    await page.getByRole('row').filter({ hasText: 'Operation' }).getByText('syncUpdateOrder').waitFor();
  });

  test('the recordings of a project and of a file', async () => {
    const [one, other] = [freshProject(), freshProject()];
    for (const project of [one, other]) await orders(project, 'O-1');
    await sandbox.api('PATCH', `/sync/projects/${other}/orders/O-9`, { status: 'READY' });
    const page = await browser.open(sandbox.url(), `/compare?what=recordings&a=${one}&b=${one}`);
    await page.getByText('equal', { exact: true }).waitFor();
    const { body } = await sandbox.control('GET', `/projects/${other}/recording`);
    const file = { name: 'other.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(body)) };
    await page.getByLabel('File of recording B').setInputFiles(file);
    await page.getByText('only in B').click();
    await page.getByText('"READY"').waitFor();
    await page.getByText('1 difference', { exact: true }).first().waitFor();
    await page.getByLabel('File of recording B').setInputFiles({ ...file, buffer: Buffer.from('{}') });
    await page.getByText('other.json is not a recording').waitFor();
    // The file has changed since, and has the same name.
    const { body: equal } = await sandbox.control('GET', `/projects/${one}/recording`);
    await page.getByLabel('File of recording B').setInputFiles({ ...file, buffer: Buffer.from(JSON.stringify(equal)) });
    await page.getByText('equal', { exact: true }).waitFor();
    await expect.poll(() => page.getByLabel('File of recording B').inputValue()).toBe('');
  });
});

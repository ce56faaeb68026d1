/** A partner developer chooses the file of a sweep, sees which failures the client does not survive, and repeats one. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { failureKinds } from '../../src/scenarios/failure-kinds.ts';
import { findBarriers, noBrowser, overflowOf, useBrowser } from '../harness/browser.ts';
import { useSandbox } from '../harness/sandbox.ts';
import { createCase, createReport, sample } from '../sweep-report/sample.ts';
import { copied, focused, heading, main, textsOf } from './page.ts';

const sandbox = useSandbox();
const browser = useBrowser();
const folder = mkdtempSync(path.join(tmpdir(), 'sweep-'));
afterAll(() => rmSync(folder, { recursive: true }));

const write = (name: string, value: unknown): string => {
  const file = path.join(folder, name);
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
  return file;
};
const sampleFile = write('sweep.json', sample);

const load = (page: Page, file: string) => page.getByLabel('JSON file of a sweep').setInputFiles(file);
const matrixOf = (page: Page) => page.getByRole('region', { name: 'Failures by operation' });
const cellOf = (page: Page, name: string | RegExp) => matrixOf(page).getByRole('button', { name });
const casesOf = (page: Page) => page.getByRole('complementary', { name: 'Cases' });

async function openSample(query = ''): Promise<Page> {
  const page = await browser.open(sandbox.url(), `/sweep${query}`);
  await load(page, sampleFile);
  await matrixOf(page).waitFor();
  return page;
}

describe.skipIf(noBrowser)('the sweep screen', () => {
  test('says how to make a sweep, and shows the chosen file as a matrix', async () => {
    const page = await browser.open(sandbox.url(), '/sweep');
    await page.getByText('npx field-sandbox sweep --json sweep.json -- npm test').waitFor();
    await load(page, sampleFile);
    await page.getByText('31 cases: 9 bad, 5 neutral, 17 good; 34 not tried').waitFor();
    const matrix = matrixOf(page);
    await expect
      .poll(() => textsOf(matrix.getByRole('columnheader')))
      .toEqual(['Failure', 'asyncImportJobs', 'syncImportOrders', 'submitLocation']);
    for (const group of ['Entries', 'Statuses', 'Connection', 'Callbacks'])
      await matrix.getByRole('rowheader', { name: group, exact: true }).waitFor();
    const row = matrix.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'status-503' }) });
    await expect.poll(() => textsOf(row.getByRole('cell'))).toEqual(['U', '✓', '✓']);
    await page.getByText('the command passed, but records are missing or differ').waitFor();
  });

  test('a cell shows its cases, the worst first, with their files and the command that repeats one', async () => {
    const page = await openSample();
    await cellOf(page, 'asyncImportJobs, status-503: unnoticed, 2 cases').click();
    const cases = casesOf(page);
    await cases.waitFor();
    expect(await findBarriers(page)).toEqual([]);
    const titles = () => cases.getByRole('heading', { level: 3 }).allTextContents();
    await expect.poll(titles).toEqual(['asyncImportJobs/status-503/1', 'asyncImportJobs/status-503/always']);
    const text = ((await cases.textContent()) ?? '').replaceAll(/\s+/g, ' ');
    for (const shown of [
      'but 3 jobs are missing: ORD-1',
      'Expectedthe client recovers',
      'Exit code0 Requests12 Duration1.2 s',
      'Scenariosweep/asyncImportJobs-status-503-1.yaml',
      'Recordingssweep/asyncImportJobs-status-503-1/demo.json',
      'Outputsweep/asyncImportJobs-status-503-1.log',
    ])
      expect(text.replaceAll(/ (?=[A-Z])/g, ' ')).toContain(shown);
    await cases.getByLabel('Your command').fill('npm run e2e');
    await cases.getByRole('button', { name: 'Copy command' }).click();
    await page.getByText('Copied.').waitFor();
    expect(await copied(page)).toBe(
      'npx field-sandbox sweep --operation asyncImportJobs --kind status-503 -- npm run e2e',
    );

    // The URL has the cell; the file stays while another screen is open.
    await expect.poll(() => page.url()).toContain('cell=asyncImportJobs%2Fstatus-503');
    await page.keyboard.press('Escape');
    await expect.poll(() => cases.count()).toBe(0);
    await page.getByRole('link', { name: 'Requests' }).click();
    await heading(page, 'Requests').waitFor();
    await page.goBack();
    await matrixOf(page).waitFor();
  });

  test('lists what the client does not survive, and each leads to its cases', async () => {
    const page = await openSample();
    const list = page.getByRole('list', { name: 'Not survived' });
    await expect.poll(() => list.getByRole('listitem').count()).toBe(9);
    await list.getByRole('link', { name: 'asyncImportJobs, status-503' }).click();
    await casesOf(page).getByRole('heading', { name: 'asyncImportJobs/status-503/1', exact: true }).waitFor();
    await casesOf(page).getByRole('button', { name: 'Copy command' }).first().waitFor();
  });

  test('works with the keyboard', async () => {
    const page = await openSample();
    await matrixOf(page).focus();
    await page.keyboard.press('Tab');
    await expect.poll(() => focused(page)).toBe('asyncImportJobs, refused: reported, 1 case');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => focused(page)).toBe('asyncImportJobs, status-400: reported, 1 case');
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowUp']) await page.keyboard.press(key);
    await expect.poll(() => focused(page)).toBe('submitLocation, status-400: reported, 1 case');
    // Places without cases are skipped.
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => focused(page)).toBe('submitLocation, status-503: recovered, 1 case');
    await page.keyboard.press('Enter');
    await casesOf(page).waitFor();
    await expect.poll(() => focused(page)).toBe('submitLocation: status-503');
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toBe('submitLocation, status-503: recovered, 1 case');
  });

  test.each([
    ['another JSON file', { cases: [{ verdict: 'lost' }] }, 'the report: missing key baseline'],
    ['a text', 'hello', 'expected the JSON that `field-sandbox sweep --json FILE` writes; this is not JSON'],
  ])('%s is rejected with its mistakes, and the next file is shown', async (_, content, mistake) => {
    const page = await browser.open(sandbox.url(), '/sweep');
    await load(page, write('wrong.json', content));
    const note = page.getByRole('alert');
    await note.getByText('wrong.json is not the report of a sweep').waitFor();
    await note.getByText(mistake).waitFor();
    await load(page, sampleFile);
    await matrixOf(page).waitFor();
    await expect.poll(() => note.count()).toBe(0);
  });

  test('a file can be dropped on the screen', async () => {
    const page = await browser.open(sandbox.url(), '/sweep');
    const dataTransfer = await page.evaluateHandle(`(() => {
      const data = new DataTransfer();
      data.items.add(new File([${JSON.stringify(JSON.stringify(sample))}], 'dropped.json'));
      return data;
    })()`);
    for (const type of ['dragover', 'drop'])
      await page.getByText('or drop it here').dispatchEvent(type, { dataTransfer });
    await matrixOf(page).waitFor();
  });

  test('a large matrix scrolls inside a display of 360 pixels, and texts of the file are no markup', async () => {
    const markup = `"><img src=x onerror="pwned=1">`;
    const kinds = failureKinds({ byCallback: true, listsFailures: true, statuses: [400] }).map(({ kind }) => kind);
    const operations = Array.from({ length: 12 }, (_, n) => `asyncImportJobsInSubproject${n}`);
    const cases = operations.flatMap((one) => kinds.map((kind) => createCase(`${one}/${kind}/1`, 'recovered', '')));
    const nasty = createCase(`${markup}/${markup}/1`, 'failed', markup, { scenario: markup, output: markup });
    const page = await browser.open(sandbox.url(), '/sweep', { width: 360, height: 740 });
    await load(page, write('large.json', createReport([...cases, nasty])));
    await matrixOf(page).waitFor();
    await expect.poll(() => overflowOf(main(page))).toBe(0);
    await expect.poll(() => overflowOf(matrixOf(page))).toBeGreaterThan(0);
    await cellOf(page, /: failed,/).click();
    await casesOf(page).waitFor();
    await expect.poll(() => overflowOf(casesOf(page))).toBe(0);
    expect(await page.evaluate('typeof pwned')).toBe('undefined');
    expect(await page.content()).not.toContain('<img src="x"');
  });
});

/** A client's first mistakes, a wrong key and a wrong path, are visible with the project that they name. */
import { describe, expect, test } from 'vitest';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';

const sandbox = useSandbox();
const browser = useBrowser();

describe.skipIf(noBrowser)('requests that did not reach their project', () => {
  test('are in the list of the chosen project, before and after it is open, and nowhere else', async () => {
    const project = freshProject();
    const importWith = (name: string, apikey: string) =>
      sandbox.api('POST', `/async/projects/${name}/jobs`, { jobs: [{ id: 'J-1' }] }, { apikey });
    await importWith(project, 'wrong');
    await importWith(freshProject(), 'wrong');
    const page = await browser.open(sandbox.url(), `/live?project=${project}`);
    const main = page.locator('main');
    await main.getByText('401').first().waitFor();
    await sandbox.api('POST', `/projects/${project}/nowhere`, {});
    await main.getByText('404').first().waitFor();
    expect(await main.getByText('401', { exact: true }).count()).toBe(1);
    await page.getByRole('grid', { name: 'Requests' }).getByRole('link').last().click();
    const detail = page.getByRole('complementary', { name: 'Request' });
    await detail.getByText('401').first().waitFor();
  });
});

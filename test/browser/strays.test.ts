/** A client's first mistakes, a wrong key and a wrong path, are visible with the project that they name. */
import { describe, expect, test } from 'vitest';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { main, requestDetail, rowLinks } from './page.ts';

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
    await main(page).getByText('401').first().waitFor();
    await sandbox.api('POST', `/projects/${project}/nowhere`, {});
    await main(page).getByText('404').first().waitFor();
    expect(await main(page).getByText('401', { exact: true }).count()).toBe(1);
    await rowLinks(page, 'Requests').last().click();
    const detail = requestDetail(page);
    await detail.getByText('401').first().waitFor();
  });
});

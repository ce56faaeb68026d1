/** The clock screen shows how much of its limits a project uses. */
import { describe, expect, test } from 'vitest';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { writeProfile } from '../harness/profile.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { bodyRows, visibleTextsOf } from './page.ts';

const sandbox = useSandbox({ profile: writeProfile({ limits: { project: { records: 4, requestsPerSecond: 1000 } } }) });
const browser = useBrowser();

describe.skipIf(noBrowser)('usage and limits', () => {
  test('shows the used and the maximum amount of each resource', async () => {
    const project = freshProject();
    await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, {
      jobs: [{ id: 'A' }, { id: 'B' }, { id: 'C' }],
    });
    const page = await browser.open(sandbox.url(), `/clock?project=${project}`);
    const table = page.getByRole('region', { name: 'Usage and limits' }).last();
    await table.getByRole('row', { name: /^Records/ }).waitFor();
    await expect
      .poll(() => visibleTextsOf(bodyRows(table)))
      .toEqual(
        expect.arrayContaining([
          'Records 3 4',
          expect.stringMatching(/^Memory \(estimated\) \d+ kB [\d.]+ MB$/),
          'Scenario rules 0 none',
        ]),
      );
    expect(await table.getByRole('meter', { name: 'Records' }).getAttribute('max')).toBe('4');
    await page.getByText('Maximum: 1,000 requests per second.').waitFor();
  });
});

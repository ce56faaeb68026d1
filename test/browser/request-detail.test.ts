/** The tabs of a request: its timeline with every attempt, its mistakes at their places, and links to its entities. */
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { useReceiver } from '../harness/receiver.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { copied, notices, requestDetail, textOf, visibleTextsOf } from './page.ts';

const sandbox = useSandbox();
const receiver = useReceiver();
const browser = useBrowser();
let project = '';

beforeEach(() => {
  project = freshProject();
});

const send = (body: object, path = `/async/projects/${project}/jobs`) => sandbox.api('POST', path, body);
const idOf = (answer: { headers: Record<string, string> }): string => String(answer.headers['x-request-id']);
const open = (answer: { headers: Record<string, string> }, query = '') =>
  browser.open(sandbox.url(), `/live?project=${project}&request=${idOf(answer)}${query}`);
const stepsOf = (page: Page) => requestDetail(page).getByRole('list', { name: 'Steps' }).getByRole('listitem');
const step = (page: Page, text: string) => stepsOf(page).filter({ hasText: text });

describe.skipIf(noBrowser)('the timeline', () => {
  test('shows the request, its processing, its results and each attempt with the gap before it', async () => {
    await sandbox.freeze(project);
    await sandbox.control('PUT', `/projects/${project}/callback-endpoint`, { url: receiver.url() });
    receiver.answer({ status: 503, headers: { 'x-reason': 'busy' }, body: Buffer.from('Come back later') }, 200);
    const answer = await send({ jobs: [{ id: 'J-1' }, { id: 'FAIL-2' }] });
    const page = await open(answer);
    await stepsOf(page).getByText('2 entries pending').waitFor();
    await sandbox.control('POST', `/projects/${project}/clock/advance`, { until: 'idle' });
    // Until its last attempt, the timeline shows when that is due.
    await stepsOf(page).nth(5).getByText('200', { exact: true }).waitFor();
    await expect.poll(() => stepsOf(page).count()).toBe(6);
    await expect
      .poll(() => visibleTextsOf(stepsOf(page)))
      .toEqual([
        expect.stringContaining('POST 202'),
        expect.stringMatching(/^Processing .*took \d/),
        expect.stringContaining('1 record created or updated'),
        expect.stringContaining('1 entry failed'),
        expect.stringContaining('attempt 1 503'),
        expect.stringMatching(/attempt 2 200 .*Retry, 5 s after the previous attempt/),
      ]);

    const link = step(page, 'attempt 1').getByRole('link', { name: /^msg_/ });
    expect(await link.getAttribute('href')).toMatch(new RegExp(`^#/callbacks\\?project=${project}&callback=msg_`));
    await stepsOf(page).getByText('1 entry failed').click();
    const entity = step(page, '1 entry failed').getByRole('link', { name: 'FAIL-2' });
    expect(await entity.getAttribute('href')).toBe(`#/entity?project=${project}&id=FAIL-2`);
  });

  test('shows when entries were applied that no callback reports', async () => {
    await sandbox.freeze(project);
    const answer = await send({ jobs: [{ id: 'J-1' }] });
    await sandbox.advance(project, '30s');
    const page = await open(answer);
    await expect.poll(() => stepsOf(page).count()).toBe(3);
    await expect.poll(() => textOf(stepsOf(page).nth(1))).toMatch(/Processing.*took \d/);
    await expect.poll(() => textOf(stepsOf(page).nth(2))).toContain('1 record created or updated');
  });

  test('shows entries at their own times, if some fail later than others are applied', async () => {
    await sandbox.freeze(project);
    const rules = [{ when: { item: 2 }, then: { fail: 'No such street', after: '3s' } }];
    await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [{ name: 'streets', rules }] });
    const answer = await send({ jobs: [{ id: 'J-1' }, { id: 'J-2' }] });
    await sandbox.advance(project);
    const page = await open(answer);
    const stored = step(page, '1 record created or updated');
    await stored.getByText(/^\+\d+ ms$/).waitFor();
    await step(page, '1 entry failed').getByText('+3 s', { exact: true }).waitFor();
    await step(page, 'Processing')
      .getByText(/took 3 s$/)
      .waitFor();
  });

  test('leads from an attempt to its callback, also in the requests of all projects', async () => {
    await sandbox.freeze(project);
    const answer = await send({ jobs: [{ id: 'FAIL-1' }] });
    await sandbox.advance(project);
    const page = await browser.open(sandbox.url(), `/live?request=${idOf(answer)}`);
    const attempt = step(page, 'Callback, attempt 1');
    const href = await attempt.getByRole('link', { name: /^msg_/ }).getAttribute('href');
    expect(href).toMatch(new RegExp(`^#/callbacks\\?project=${project}&callback=msg_`));
  });
});

describe.skipIf(noBrowser)('a mistake', () => {
  test('of an entry with a number as its id is shown at the entry', async () => {
    const page = await open(await send({ jobs: [{ id: 'J-1' }, { id: 7 }] }), '&detail=request');
    const body = requestDetail(page).getByRole('group', { name: 'JSON' });
    await expect.poll(() => textOf(body)).toMatch(/"id": 7 expected a string, got number 7/);
    expect(await requestDetail(page).getByRole('list', { name: 'Other errors' }).count()).toBe(0);
  });
});

describe.skipIf(noBrowser)('the detail', () => {
  test('has the tab in the link, and ids that lead to their events', async () => {
    const page = await open(await send({ jobs: [{ id: 'J-1' }] }));
    await requestDetail(page).getByRole('link', { name: 'Response', exact: true }).click();
    await requestDetail(page).getByText('"jobsReceived": 1').waitFor();
    await page.reload();
    await requestDetail(page).getByText('"jobsReceived": 1').waitFor();
    await expect.poll(() => page.url()).toContain('detail=response');
    await requestDetail(page).getByRole('link', { name: 'Overview' }).click();
    const link = requestDetail(page).getByRole('definition').getByRole('link', { name: 'J-1' });
    expect(await link.getAttribute('href')).toBe(`#/entity?project=${project}&id=J-1`);
  });

  test('copies the id, and shows the age on the clock of the project', async () => {
    await sandbox.freeze(project);
    const answer = await send({ jobs: [{ id: 'J-1' }] });
    await sandbox.advance(project, '90s');
    const page = await open(answer);
    await requestDetail(page).getByText('1 min 30 s ago').waitFor();
    await requestDetail(page).getByRole('button', { name: 'Copy the id' }).click();
    await page.getByText('Copied.').waitFor();
    expect(await copied(page)).toBe(idOf(answer));
  });

  test('renders only its age at each second', async () => {
    const page = await open(
      await send({ orders: [{ id: 'O-1' }] }, `/sync/projects/${project}/orders`),
      '&detail=request',
    );
    await requestDetail(page).getByText('"O-1"').waitFor();
    const age = async () =>
      requestDetail(page)
        .getByText(/ s ago$/)
        .textContent();
    await page.evaluate(`(() => {
      const { parse } = JSON;
      globalThis.parsed = 0;
      JSON.parse = (...texts) => { globalThis.parsed += 1; return parse(...texts); };
    })()`);
    const parsedInOneSecond = async (): Promise<number> => {
      const [first, before] = [await age(), Number(await page.evaluate('parsed'))];
      await expect.poll(age).not.toBe(first);
      return Number(await page.evaluate('parsed')) - before;
    };
    // Other parts of the page may be loading at first.
    await expect.poll(parsedInOneSecond).toBe(0);
  });

  test('reports a rejection of a request that is sent again as a failure', async () => {
    const page = await open(await send({ jobs: 1 }));
    await requestDetail(page).getByRole('button', { name: 'Send again' }).click();
    const notice = page.getByText('Sent. The sandbox responded with 400');
    await notice.waitFor();
    await notices(page).getByRole('img', { name: 'Error' }).waitFor();
  });
});

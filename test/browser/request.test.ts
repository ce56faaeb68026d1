/** The detail of a request: its result, its steps, its messages with errors at their places, and what can be done with it. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { useReceiver } from '../harness/receiver.ts';
import {
  copied,
  createGate,
  idOf,
  inBrowser,
  notices,
  openProjects,
  requestDetail,
  show,
  textOf,
  textsOf,
  useConsole,
  visibleTextsOf,
} from './page.ts';

const { sandbox, browser, project, importJobs, importOrders, activate, freeze, advance, items, ...console } =
  useConsole();
const receiver = useReceiver();

type Answer = Parameters<typeof idOf>[0];
const open = (answer: Answer, query = '') => console.open(`live?request=${idOf(answer)}${query}`);
const openTab = (page: Page, name: string) => requestDetail(page).getByRole('link', { name, exact: true }).click();
const resultOf = (page: Page) => requestDetail(page).getByRole('region', { name: 'Result' });
const bodyOf = (page: Page) => requestDetail(page).getByRole('group', { name: /^(JSON|Text)$/ });
const act = (page: Page, name: string) => requestDetail(page).getByRole('button', { name });
const stepsOf = (page: Page) => requestDetail(page).getByRole('list', { name: 'Steps' }).getByRole('listitem');

async function isInSight(element: Locator): Promise<boolean> {
  const { y = -1, height = 0 } = (await element.boundingBox()) ?? {};
  return y > 0 && y + height < 800;
}

inBrowser('the result has each entry that failed with its reason, and the body has it at its place', async () => {
  await importJobs('J-0');
  const jobs = [{ id: 'J-1', status: 'DELIVERD' }, { id: 'J-2', colour: 'red' }, 'FAIL-GEOCODE-3', 'J-0'];
  const page = await open(await importJobs(...jobs));
  await resultOf(page).getByText('2 entries failed later').waitFor();
  await expect
    .poll(() => textOf(resultOf(page)))
    .toMatch(/reported by callback msg_\w+\s*FAIL-GEOCODE-3: Address could not be geocoded\s*J-0: .*exists/);
  const text = await textOf(resultOf(page));
  expect(text).toContain('1 entry rejectedJ-1: status: expected one of');
  expect(text).toContain('1 record created or updated: jobs J-2');
  expect(text).toContain('/jobs/1/colour: unknown field');
  // No connection was broken.
  expect(await textsOf(requestDetail(page).getByRole('term'))).toEqual(['Path', 'Project', 'Ids', 'Scenarios']);
  await act(page, 'Show the first error').click();
  await expect.poll(() => isInSight(requestDetail(page).getByText('did you mean DELIVERED?'))).toBe(true);
  await expect.poll(() => page.url()).toContain('detail=request');
  const body = await textOf(bodyOf(page));
  expect(body).toMatch(/"status": "DELIVERD" expected one of .*did you mean DELIVERED\?/);
  expect(body).toContain('failed later: FAIL-GEOCODE-3: Address could not be geocoded');
  await page.reload();
  await bodyOf(page).waitFor();
  await openTab(page, 'Response');
  await requestDetail(page)
    .getByText(/"jobsReceived": \d/)
    .waitFor();
  await openTab(page, 'Overview');
  await resultOf(page).getByRole('link', { name: /^msg_/ }).click();
  await page.getByRole('heading', { level: 2, name: 'jobs.import.failed' }).waitFor();
});

inBrowser('the result counts the entries that further callbacks report, and ids are the first ones', async () => {
  await freeze();
  const toRule = (_: unknown, n: number) => ({ when: { item: n + 1 }, then: { fail: 'Late', after: `${n + 1}s` } });
  await activate({ name: 'late', rules: Array.from({ length: 12 }, toRule) });
  const answer = await importJobs(...Array.from({ length: 12 }, (_, n) => `J-${n}`));
  await advance();
  const page = await open(answer);
  await resultOf(page).getByText('2 more entries failed later').waitFor();
  await resultOf(page).getByRole('link', { name: 'callbacks', exact: true }).click();
  await expect.poll(() => page.getByRole('grid', { name: 'Callbacks' }).getByRole('link').count()).toBe(12);
  const many = await importJobs(...Array.from({ length: 21 }, (_, n) => `K-${n}`));
  await show(page, `/live?project=${project()}&request=${idOf(many)}`);
  await requestDetail(page).getByRole('term').getByText('Ids, at most 20').waitFor();
});

inBrowser('a rejection, a broken connection and a reset are said', async () => {
  const page = await open(await sandbox.api('POST', `/async/projects/${project()}/jobs`, '{"jobs":[{"id":"J-1"},]}'));
  await resultOf(page).getByText('the body is not JSON').waitFor();
  await openTab(page, 'Request');
  await requestDetail(page).getByText(']}', { exact: true }).waitFor();
  const before = (await items('requests')).length;
  await act(page, 'Send again').dblclick();
  await page.getByText('Sent. The sandbox responded with 400').waitFor();
  await notices(page).getByRole('img', { name: 'Error' }).waitFor();
  expect(await items('requests')).toHaveLength(before + 1);

  await activate({ name: 'gone', rules: [{ then: { connection: 'reset' } }] });
  await importJobs('J-1').catch(() => undefined);
  const id = String((await items('requests')).at(-1)?.['id']);
  await page.goto(`${sandbox.url()}/_sandbox/#/live?project=${project()}&request=${id}`);
  await resultOf(page).getByText('No response: a scenario broke the connection (reset).').waitFor();
  await sandbox.control('POST', `/projects/${project()}/reset`);
  await requestDetail(page).getByText('the project was reset').waitFor();
  await expect.poll(() => act(page, 'Send again').count()).toBe(0);
  await page.keyboard.press('Escape');
  await expect.poll(() => requestDetail(page).count()).toBe(0);
});

inBrowser('the steps follow a frozen clock to the last attempt, each with the gap before it', async () => {
  await freeze();
  await console.setEndpoint({ url: receiver.url() });
  receiver.answer({ status: 503, headers: { 'x-reason': 'busy' }, body: Buffer.from('Come back later') }, 200);
  const rules = [{ when: { item: 2 }, then: { fail: 'No such street', after: '3s' } }];
  await activate({ name: 'streets', rules });
  const answer = await importJobs('J-1', 'FAIL-2');
  const page = await open(answer);
  await resultOf(page).getByText("2 pending entries. The project's clock is frozen").waitFor();
  await advance();
  await expect
    .poll(() => visibleTextsOf(stepsOf(page)))
    .toEqual([
      expect.stringContaining('POST 202'),
      expect.stringMatching(/^Processing .*took 3 s$/),
      expect.stringMatching(/1 record created or updated ?\+\d+ ms/),
      expect.stringMatching(/1 entry failed ?\+3 s/),
      expect.stringContaining('attempt 1 503'),
      expect.stringMatching(/attempt 2 200 .*Retry, 5 s after the previous attempt/),
    ]);
  const link = stepsOf(page).filter({ hasText: 'attempt 1' }).getByRole('link', { name: /^msg_/ });
  expect(await link.getAttribute('href')).toMatch(new RegExp(`^#/callbacks\\?project=${project()}&callback=msg_`));
  await stepsOf(page).getByText('1 entry failed').click();
  const entity = stepsOf(page).getByRole('link', { name: 'FAIL-2' });
  expect(await entity.getAttribute('href')).toBe(`#/entity?project=${project()}&id=FAIL-2`);
  await advance('90s');
  await requestDetail(page)
    .getByText(/^1 min .* ago$/)
    .waitFor();
  await act(page, 'Copy the id').click();
  await page.getByText('Copied.').waitFor();
  expect(await copied(page)).toBe(idOf(answer));
});

inBrowser('a request is copied as curl, downloaded, edited, and sent again', async () => {
  const page = await open(await importJobs({ id: 'J-1', status: 'DELIVERD' }));
  await act(page, 'Edit and send').click();
  await requestDetail(page).getByLabel('Body').fill('{"jobs":[{"id":"J-1","status":"DELIVERED"}]}');
  const gate = createGate();
  await page.route('**/async/**', async (route) => {
    await gate.passed;
    await route.continue();
  });
  await requestDetail(page).getByRole('button', { name: 'Send', exact: true }).dblclick();
  gate.open();
  await expect.poll(async () => (await items('jobs')).map(({ id }) => id)).toEqual(['J-1']);
  expect((await items('requests')).length).toBe(2);
  await openTab(page, 'Request');
  await requestDetail(page).getByText('"DELIVERED"').first().waitFor();
  await act(page, 'Copy as curl').click();
  await page.getByText('Copied.').waitFor();
  const command = await copied(page);
  expect(command).toContain(`curl -i -X POST '${sandbox.url()}/async/projects/${project()}/jobs'`);
  expect(command).toContain("-H 'apikey: sandbox-key'");
  expect(command).toContain(`--data-raw '{"jobs":[{"id":"J-1","status":"DELIVERED"}]}'`);
  const downloading = page.waitForEvent('download');
  await requestDetail(page).getByRole('link', { name: 'Download HAR' }).click();
  expect((await downloading).suggestedFilename()).toMatch(/^req_.*\.har$/);
  await openTab(page, 'Overview');
  await act(page, 'Compare with…').click();
  await page.keyboard.press('j');
  const difference = requestDetail(page).getByRole('region', { name: 'Comparison' });
  await difference.getByRole('row', { name: '/jobs/0/status "DELIVERED" "DELIVERD"' }).waitFor();
  await difference.getByRole('columnheader', { name: 'In the other request' }).waitFor();
  await page.goto(page.url().replace(/compare=\w+/, 'compare=gone'));
  await difference.getByRole('button', { name: 'End the comparison' }).click();
});

inBrowser(
  'a request without its whole body is neither copied nor sent again, and a body is edited as it was sent',
  async () => {
    const path = `/async/projects/${project()}/jobs`;
    const text = '{"jobs":[{"id":"J-1","number":12345678901234567890}]}';
    const many = Array.from({ length: 1001 }, (_, n) => ({ id: `J-${n}`, storeId: 'x'.repeat(300) }));
    const long = await console.createJobs(...many);
    const unread = await sandbox.api('POST', path, text, { apikey: 'wrong' });
    const page = await open(await sandbox.api('POST', path, text));
    await act(page, 'Edit and send').click();
    const edited = await requestDetail(page).getByLabel('Body').inputValue();
    expect(edited.replaceAll(/\s/g, '')).toBe(text);
    const names = ['Copy as curl', 'Send again', 'Edit and send'];
    for (const [answer, counts] of [
      [long, [0, 0, 0]],
      [unread, [0, 0, 1]],
    ] as const) {
      await show(page, `/live?request=${idOf(answer)}`);
      await requestDetail(page).getByText(idOf(answer)).waitFor();
      await resultOf(page).waitFor();
      expect(await Promise.all(names.map((name) => act(page, name).count()))).toEqual(counts);
    }
  },
);

inBrowser('a copied command sends the same request: brackets, an empty header, a long body, and HEAD', async () => {
  const jobs = Array.from({ length: 300 }, (_, n) => ({ id: `J-${n}`, notes: 'é'.repeat(300) }));
  const path = `/async/projects/${project()}/jobs?filter[a]={b,c}`;
  const page = await open(await sandbox.api('POST', path, { jobs }, { 'x-note': '' }));
  const runCopied = async (part: string) => {
    await act(page, 'Copy as curl').click();
    await expect.poll(() => copied(page)).toContain(part);
    const bash = promisify(execFile)('bash', [], { maxBuffer: 1e7 });
    bash.child.stdin?.end(await copied(page));
    return (await bash).stdout;
  };
  await runCopied(path);
  const requests = await items('requests');
  expect(requests.length).toBe(2);
  const sent = requests.map(async ({ id }) => (await sandbox.control('GET', `/requests/${id}`)).body.request);
  for (const { url, headers, body } of await Promise.all(sent)) {
    expect({ url, note: headers['x-note'], body }).toEqual({ url: path, note: '', body: JSON.stringify({ jobs }) });
  }
  await show(page, `/live?request=${idOf(await sandbox.api('HEAD', '/nowhere'))}`);
  await requestDetail(page).getByText('HEAD').first().waitFor();
  expect(await runCopied('/nowhere')).toMatch(/^HTTP\/1\.1 404 /);
});

inBrowser('a fork opens the records as they were, or says why it is refused', async () => {
  const page = await open(await importOrders('O-1'));
  await importOrders('O-2');
  await act(page, 'Fork from here').click();
  const fork = `${project()}-fork`;
  await page.getByText(`This is ${fork}, a copy of ${project()} as it was after the request.`).waitFor();
  expect(await sandbox.items(fork, 'orders')).toMatchObject([{ id: 'O-1' }]);
  await expect.poll(() => page.url()).toContain(`#/records?project=${fork}`);
  const answer = await sandbox.api('POST', `/sync/projects/${fork}/orders`, { orders: [{ id: 'O-3' }] });
  await page.goto(`${sandbox.url()}/_sandbox/#/live?project=${fork}&request=${idOf(answer)}`);
  await act(page, 'Fork from here').click();
  await page.getByText('because its recording is incomplete: the project is a fork of').waitFor();
  const stray = await browser.open(sandbox.url(), `/live?request=${idOf(await sandbox.api('POST', '/unknown'))}`);
  await act(stray, 'Send again').waitFor();
  expect(await act(stray, 'Fork from here').count()).toBe(0);
});

inBrowser('Escape closes an open menu first, and no form in which the user types', async () => {
  const page = await open(await importOrders('O-1'));
  await requestDetail(page).focus();
  const menu = await openProjects(page);
  await page.keyboard.press('Escape');
  await expect.poll(() => menu.count()).toBe(0);
  expect(page.url()).toContain('request=');
  await act(page, 'Edit and send').click();
  const body = requestDetail(page).getByLabel('Body');
  await body.fill('{}');
  await page.keyboard.press('Escape');
  expect(await body.inputValue()).toBe('{}');
  await requestDetail(page).focus();
  await page.keyboard.press('Escape');
  await expect.poll(() => requestDetail(page).count()).toBe(0);
});

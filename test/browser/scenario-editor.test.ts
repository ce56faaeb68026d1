/** A tester writes a scenario as text, with a form that adds rules, and sees mistakes while typing, and what it did. */
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { findBarriers, noBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import {
  createGate,
  heading,
  notices,
  openProjects,
  scenarioContains,
  scenarioEditor,
  show,
  textsOf,
  writeScenario,
} from './page.ts';

const sandbox = useSandbox();
const browser = useBrowser();
let project = '';

beforeEach(() => {
  project = freshProject();
});

const open = (query: string, options = {}) =>
  browser.open(sandbox.url(), `/scenarios?project=${project}${query}`, options);
const issues = (page: Page) => page.getByRole('list', { name: 'Mistakes and warnings' }).getByRole('listitem');
/** Returns the text of the editor. Each child is a line. */
const textOf = (page: Page): Promise<string> =>
  scenarioEditor(page).evaluate((text) =>
    Array.from(text.children, (line: typeof text) => line.textContent).join('\n'),
  );
const active = async () =>
  (await sandbox.control('GET', `/projects/${project}/scenarios`)).body.scenarios as readonly string[];
const importJobs = async (...ids: readonly string[]) => {
  const { status } = await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: ids.map((id) => ({ id })) });
  return status;
};
const failed = async () => {
  const callbacks = await sandbox.items(project, 'callbacks');
  return callbacks.map(({ body }) => (body as { data: { failed: readonly { id: string }[] } }).data.failed);
};
const put = (name: string, text: string) =>
  sandbox.control('PUT', `/scenarios/${name}`, text, { 'content-type': 'application/yaml' });

const toText = (name: string, times: string | number = 2) => `name: ${name}
rules:
  - name: down # for a while
    when: { operation: asyncImportJobs, project: p-* }
    then: { respond: { status: 503 } }
    times: ${times}
`;

describe.skipIf(noBrowser)('a new scenario', () => {
  test('makes the third job of the next import fail in three actions, and again when it is armed again', async () => {
    await sandbox.freeze(project);
    const page = await browser.open(sandbox.url(), `/?project=${project}`);
    await heading(page, 'Requests').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('third job');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: `Save and activate for ${project}` }).click();
    await page.getByText(`Activated third-entry-fails for ${project}.`).waitFor();
    await importJobs('A-1', 'A-2', 'A-3', 'A-4');
    await importJobs('B-1', 'B-2', 'B-3', 'B-4');
    await sandbox.advance(project);
    expect(await failed()).toEqual([[{ id: 'A-3', reason: 'Address could not be geocoded' }]]);
    const activity = page.getByRole('region', { name: 'Activity' });
    await activity.getByText('used up').waitFor();
    await activity.getByRole('button', { name: 'Arm again' }).click();
    await activity.getByText('1 left').waitFor();
    await importJobs('C-1', 'C-2', 'C-3');
    await sandbox.advance(project);
    expect((await failed()).length).toBe(2);
    await activity.getByRole('link', { name: 'asyncImportJobs' }).first().click();
    await expect.poll(() => page.url()).toContain('request=req_');
  });

  test('has starters with a link each, and none has a mistake', async () => {
    const page = await open('&edit=new&from=next-request-503');
    await expect.poll(() => textOf(page)).toContain('name: next-request-503');
    const starter = page.getByRole('group', { name: 'Start with' }).getByRole('button');
    await starter.filter({ hasText: 'sent twice' }).click();
    await expect.poll(() => textOf(page)).toContain('callback: { copies: 2 }');
    expect(page.url()).toContain('from=callback-twice');
    for (const one of await starter.all()) {
      const checked = page.waitForResponse(/\/scenario-checks/);
      await one.click();
      await checked;
      await page.getByText('No mistakes').waitFor();
    }
  });

  test('gets rules from the form, which adds them to the text and leaves the rest as it is', async () => {
    const name = `form-${project}`;
    await put(name, `${toText(name)}expect:\n  - requests: { operation: asyncImportJobs, count: 1 }\n`);
    const page = await open(`&edit=${name}`);
    const form = page.getByRole('form', { name: 'Add a rule' });
    await form.getByLabel('What happens').selectOption('failed-downstream');
    await form.getByLabel('Entry').selectOption('by id');
    await form.getByLabel('Ids of entries').fill('X-*, Y-1');
    await form.getByLabel('Requests').selectOption('only the next one');
    await form.getByRole('button', { name: 'Add to the text' }).click();
    await expect.poll(() => textOf(page)).toContain('item: { id: ["X-*", "Y-1"] } }\n    times: 1\n    then: { fail: ');
    expect(await textOf(page)).toMatch(/down # for a while.*X-\*.*\nexpect:\n/s);
    await form.getByLabel('Operation').selectOption('syncCreateJob');
    await form.getByLabel('What happens').selectOption('status-503');
    await form.getByRole('button', { name: 'Add to the text' }).click();
    await expect.poll(() => textOf(page)).toContain('when: { operation: syncCreateJob }');
    await page.getByText('not saved', { exact: true }).waitFor();
    await page.getByText(/^(No mistakes|\d warnings?)$/).waitFor();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await expect.poll(() => textOf(page)).not.toContain('syncCreateJob');
  });

  test('is activated for all projects if none is chosen; one that is chosen later keeps the text', async () => {
    for (const id of [project, freshProject()]) await sandbox.freeze(id);
    const name = `for-all-${project}`;
    const page = await browser.open(sandbox.url(), '/scenarios?edit=new');
    await scenarioEditor(page).waitFor();
    await writeScenario(page, toText(name));
    await (await openProjects(page)).getByRole('option', { name: new RegExp(`^${project}\\b`) }).click();
    await page.getByRole('button', { name: `Save and activate for ${project}` }).waitFor();
    await expect.poll(() => textOf(page)).toBe(toText(name));
    await (await openProjects(page)).getByRole('option', { name: 'All projects' }).click();
    await page.getByRole('button', { name: 'Save and activate for all projects' }).click();
    await page.getByText(`Activated ${name} for all projects.`).waitFor();
    expect((await sandbox.control('GET', '/server-scenarios')).body.scenarios).toEqual([name]);
    await sandbox.control('PUT', '/server-scenarios', { scenarios: [] });
  });

  test('that was created from a request repeats its failures', async () => {
    await sandbox.freeze(project);
    const rules = [{ when: { item: 2 }, then: { fail: 'No such street', after: '3s' } }];
    await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [{ name: 'given', rules }] });
    await importJobs('A-1', 'A-2');
    await sandbox.advance(project);
    const [request] = await sandbox.items(project, 'requests');
    const page = await browser.open(sandbox.url(), `/live?project=${project}&request=${request?.['id']}`);
    await page.getByRole('button', { name: 'Create scenario from this' }).click();
    await expect.poll(() => textOf(page)).toContain('when: { operation: "asyncImportJobs", item: 2 }');
    await expect.poll(() => textOf(page)).toContain('then: { fail: "No such street", after: "3s" }');
    await page.getByRole('button', { name: 'Save and activate' }).click();
    await expect.poll(async () => (await active())[0]).toMatch(/^like-req-/);
  });
});

describe.skipIf(noBrowser)('the text', () => {
  test('is checked while typing, with mistakes at their lines and Save in view, and kept while away', async () => {
    const name = `typed-${project}`;
    const page = await open('&edit=new', { height: 640 });
    const wrong = toText(name, 'often').replace('Jobs,', 'Job,');
    await scenarioEditor(page).waitFor();
    await writeScenario(page, wrong);
    await expect
      .poll(() => textsOf(issues(page)))
      .toEqual([expect.stringMatching(/4:24\s.*did you mean asyncImportJobs/s), expect.stringMatching(/6:12\s/s)]);
    await page.getByText('2 mistakes').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await expect.poll(async () => (await save.boundingBox())?.y).toBeLessThan(600);
    await issues(page).last().getByRole('button').click();
    await page.keyboard.insertText('very-');
    await expect.poll(() => textOf(page)).toBe(wrong.replace('often', 'very-often'));
    await scenarioEditor(page).press('Control+s');
    // The list says why, in view: no notice covers it.
    await page.getByText('Not saved: 2 mistakes').waitFor();
    expect(await notices(page).textContent()).not.toContain('Not saved');
    expect((await sandbox.control('GET', `/scenarios/${name}`)).status).toBe(404);

    await show(page, `/clock?project=${project}`);
    await heading(page, 'Project').waitFor();
    await page.goBack();
    await expect.poll(() => textOf(page)).toBe(wrong.replace('often', 'very-often'));
    await writeScenario(page, toText(name));
    await page.getByText('No mistakes').waitFor();
    await scenarioEditor(page).press('Control+s');
    await page.getByText(`Saved ${name}.`).waitFor();
    await expect.poll(() => page.url()).toContain(`edit=${name}`);
    expect((await sandbox.control('GET', `/scenarios/${name}`)).body.text).toBe(toText(name));
    expect(await active()).toEqual([]);
  });

  test('that is typed while Save runs is kept', async () => {
    const name = `slow-${project}`;
    await put(name, toText(name));
    const page = await open(`&edit=${name}`);
    const gate = createGate();
    await page.route(`**/_sandbox/scenarios/${name}*`, async (route) => {
      if (route.request().method() === 'PUT') await gate.passed;
      await route.continue();
    });
    await scenarioEditor(page).waitFor();
    await writeScenario(page, toText(name, 3));
    const sent = page.waitForRequest((request) => request.method() === 'PUT');
    await scenarioEditor(page).press('Control+s');
    await sent;
    await writeScenario(page, toText(name, 4));
    gate.open();
    await page.getByText(`Saved ${name}.`).waitFor();
    await page.getByText('not saved', { exact: true }).waitFor();
    await expect.poll(() => textOf(page)).toBe(toText(name, 4));
    expect((await sandbox.control('GET', `/scenarios/${name}`)).body.text).toBe(toText(name, 3));
  });

  test('completes keys and operations, explains them, and warns of a rule that never fires', async () => {
    const page = await open('&edit=new');
    await scenarioEditor(page).waitFor();
    await writeScenario(page, 'name: a\nrules:\n  - when: { operation: sync');
    await page.keyboard.press('Control+End');
    await page.keyboard.type('Cre');
    await scenarioContains(page, '{ operation: syncCre');
    // The form beside the text has options too.
    const options = page.getByRole('listbox', { name: 'Completions' }).getByRole('option');
    await expect.poll(() => options.allTextContents()).toContain('syncCreateJobs');
    await page.keyboard.press('Escape');
    // Otherwise the list of the text before may stay.
    await expect.poll(() => options.count()).toBe(0);
    await writeScenario(page, 'name: a\nrules:\n  - then: { connection: drip }\n    ');
    await page.keyboard.press('Control+End');
    await page.keyboard.type('t');
    await expect.poll(() => options.allTextContents()).toContain('times');
    expect(await options.allTextContents()).not.toContain('then');
    await page.keyboard.press('Escape');
    await scenarioEditor(page).getByText('connection').hover();
    await page.getByText('Breaks the response.').waitFor();
    const rule = '  - then: { respond: { status: 503 } }\n';
    await writeScenario(page, `name: a\nrules:\n${rule}${rule}`);
    await issues(page).filter({ hasText: 'never fires' }).waitFor();
  });
});

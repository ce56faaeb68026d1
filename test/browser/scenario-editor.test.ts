/** A tester writes a scenario with a form and as text, sees mistakes while typing, and what its rules did. */
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { findBarriers, noBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import {
  createGate,
  heading,
  notices,
  openProjects,
  processed,
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
const hint = (page: Page, text: string) => page.getByRole('note').filter({ hasText: text });
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
const put = (name: string, text: string) =>
  sandbox.control('PUT', `/scenarios/${name}`, text, { 'content-type': 'application/yaml' });

const toText = (name: string, times: string | number = 2) => `name: ${name}
rules:
  - name: down # for a while
    when: { operation: asyncImportJobs, project: p-* }
    then: { respond: { status: 503 } }
    times: ${times}
`;

describe.skipIf(noBrowser)('a ready-made scenario', () => {
  const failed = async () => {
    const callbacks = await sandbox.items(project, 'callbacks');
    return callbacks.map(({ body }) => (body as { data: { failed: readonly { id: string }[] } }).data.failed);
  };

  test('makes the third job of the next import fail in three actions from the start page', async () => {
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
  });

  test('has a link, and is offered above a new one', async () => {
    const page = await open('&edit=new&from=next-request-503');
    await expect.poll(() => textOf(page)).toContain('name: next-request-503');
    const starter = (name: string) => page.getByRole('group', { name: 'Start with' }).getByRole('button', { name });
    await expect.poll(() => starter('with 503').getAttribute('aria-pressed')).toBe('true');
    await starter('sent twice').click();
    await expect.poll(() => textOf(page)).toContain('callback: { copies: 2 }');
    expect(page.url()).toContain('from=callback-twice');
    await page.reload();
    await expect.poll(() => textOf(page)).toContain('callback: { copies: 2 }');
    for (const one of await starter('').all()) {
      const checked = page.waitForResponse(/\/scenario-checks/);
      await one.click();
      await checked;
      await page.getByText('No mistakes').waitFor();
    }
  });
});

describe.skipIf(noBrowser)('without a project', () => {
  test('a scenario is activated for all projects; one that is chosen later keeps the text', async () => {
    for (const id of [project, freshProject()]) await sandbox.freeze(id);
    const name = `for-all-${project}`;
    const page = await browser.open(sandbox.url(), '/scenarios?edit=new');
    await scenarioEditor(page).waitFor();
    await writeScenario(page, toText(name));
    await page.getByText('No mistakes').waitFor();
    await (await openProjects(page)).getByRole('option', { name: new RegExp(`^${project}\\b`) }).click();
    await page.getByRole('button', { name: `Save and activate for ${project}` }).waitFor();
    await expect.poll(() => textOf(page)).toBe(toText(name));
    await (await openProjects(page)).getByRole('option', { name: 'All projects' }).click();
    await page.getByRole('button', { name: 'Save and activate for all projects' }).click();
    await page.getByText(`Activated ${name} for all projects.`).waitFor();
    expect((await sandbox.control('GET', '/server-scenarios')).body.scenarios).toEqual([name]);
    await sandbox.control('PUT', '/server-scenarios', { scenarios: [] });
  });
});

describe.skipIf(noBrowser)('the form', () => {
  test('makes the third job of the next import fail after two seconds in four clicks', async () => {
    await sandbox.freeze(project);
    const page = await open('');
    await page.getByRole('button', { name: 'New scenario' }).click();
    await page.getByRole('radio', { name: '3rd' }).check();
    await page.getByRole('radio', { name: 'Only the next request' }).check();
    await page.getByRole('button', { name: `Save and activate for ${project}` }).click();
    await page.getByText(`for ${project}.`).waitFor();
    const [name = ''] = await active();
    expect((await sandbox.control('GET', `/scenarios/${name}`)).body.text).toBe(`name: ${name}
description: "The 3rd entry of the next asyncImportJobs request: fails after 2s (Address could not be geocoded)."
rules:
  - when: { operation: asyncImportJobs, item: 3 }
    times: 1
    then: { fail: Address could not be geocoded, after: 2s }
`);
  });

  test('writes into the text, keeps what it cannot show, and says so', async () => {
    const name = `form-${project}`;
    await put(name, toText(name));
    const page = await open(`&edit=${name}`);
    await page.getByText('Only the next request').waitFor();
    await page.getByText('Only in the text, and kept: when.project.').waitFor();
    await page.getByRole('radio', { name: 'By id' }).check();
    await page.getByLabel('Ids of entries').fill('X-*, Y-1');
    await page.getByLabel('Ids of entries').blur();
    await page.getByRole('button', { name: 'Delay' }).click();
    await page.getByRole('button', { name: 'Response', exact: true }).click();
    await expect
      .poll(() => textOf(page))
      .toBe(`name: ${name}
rules:
  - name: down # for a while
    when: { operation: asyncImportJobs, project: p-*, item: { id: [ X-*, Y-1 ] } }
    then: { latency: 2s }
    times: 2
`);
    await page.getByRole('button', { name: 'Time span' }).click();
    await page.getByLabel('Start of the time span').selectOption({ label: 'after requests:' });
    await expect.poll(() => textOf(page)).toContain('during: { afterRequests: 5, for: 30s }');
    await page.getByLabel('Failure of the catalog').selectOption('callback-drop');
    await expect.poll(() => textOf(page)).toContain('callback: { drop: true }');
    await page.getByText('not saved', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await expect.poll(() => textOf(page)).toBe(toText(name));
  });

  test('follows the text, and waits while the text is no YAML', async () => {
    const page = await open('&edit=new');
    await writeScenario(page, toText('typed').replace('asyncImportJobs', 'syncImportOrders'));
    await expect.poll(() => page.getByLabel('Operation', { exact: true }).inputValue()).toBe('syncImportOrders');
    await expect.poll(() => page.getByRole('radio', { name: 'The next n' }).isChecked()).toBe(true);
    await writeScenario(page, 'name: [');
    await page.getByText('The text is not valid YAML yet.').waitFor();
  });
});

describe.skipIf(noBrowser)('the text', () => {
  test('is checked while typing, with mistakes at their lines and Save in view', async () => {
    const name = `typed-${project}`;
    const page = await open('&edit=new', { height: 640 });
    const wrong = toText(name, 'often').replace('Jobs,', 'Job,');
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
    await writeScenario(page, wrong);
    await page.getByText('2 mistakes').waitFor();
    await scenarioEditor(page).press('Control+s');
    // The list says why, in view: no notice covers it.
    await page.getByText('Not saved: 2 mistakes').waitFor();
    expect(await notices(page).textContent()).not.toContain('Not saved');
    expect((await sandbox.control('GET', `/scenarios/${name}`)).status).toBe(404);

    // The text is kept while another screen is open.
    await page.getByRole('link', { name: 'Project', exact: true }).first().click();
    await heading(page, 'Project').waitFor();
    await page.goBack();
    await expect.poll(() => textOf(page)).toBe(wrong);
    await writeScenario(page, toText(name));
    await page.getByText('No mistakes').waitFor();
    await scenarioEditor(page).press('Control+s');
    await page.getByText(`Saved ${name}.`).waitFor();
    await expect.poll(() => page.url()).toContain(`edit=${name}`);
    expect((await sandbox.control('GET', `/scenarios/${name}`)).body.text).toBe(toText(name));
    expect(await active()).toEqual([]);
  });

  test('that is typed while Save runs is kept, and a screen that is opened meanwhile stays', async () => {
    const name = `slow-${project}`;
    await put(name, toText(name));
    const page = await open(`&edit=${name}`);
    let gate = createGate();
    await page.route(`**/_sandbox/scenarios/${name}*`, async (route) => {
      if (route.request().method() === 'PUT') await gate.passed;
      await route.continue();
    });
    /** Saves a text under a name, and acts before the sandbox has responded. */
    const saveSlowly = async (as: string, text: string, act: () => Promise<void>): Promise<void> => {
      gate = createGate();
      await writeScenario(page, text);
      const sent = page.waitForRequest((request) => request.method() === 'PUT');
      await scenarioEditor(page).press('Control+s');
      await sent;
      await act();
      gate.open();
      await page.getByText(`Saved ${as}.`).waitFor();
    };
    await saveSlowly(name, toText(name, 3), () => writeScenario(page, toText(name, 4)));
    await page.getByText('not saved', { exact: true }).waitFor();
    await expect.poll(() => textOf(page)).toBe(toText(name, 4));
    expect((await sandbox.control('GET', `/scenarios/${name}`)).body.text).toBe(toText(name, 3));
    await saveSlowly(`${name}-2`, toText(`${name}-2`), async () => {
      await page.getByRole('link', { name: 'Project', exact: true }).first().click();
      await heading(page, 'Project').waitFor();
    });
    await expect.poll(() => page.url()).not.toContain('edit=');
  });

  test('warns of a rule that never fires', async () => {
    const page = await open('&edit=new');
    await writeScenario(
      page,
      'name: a\nrules:\n  - then: { respond: { status: 503 } }\n  - then: { respond: { status: 500 } }\n',
    );
    await issues(page).filter({ hasText: 'never fires' }).waitFor();
  });

  test('completes keys and operations, and explains them', async () => {
    const page = await open('&edit=new');
    await writeScenario(page, 'name: a\nrules:\n  - when: { operation: sync');
    await page.keyboard.press('Control+End');
    await page.keyboard.type('Cre');
    const options = page.getByRole('option');
    await expect.poll(() => options.allTextContents()).toContain('syncCreateJobs');
    await page.keyboard.press('Escape');
    await writeScenario(page, 'name: a\nrules:\n  - then: { connection: drip }\n    ');
    await page.keyboard.press('Control+End');
    await page.keyboard.type('t');
    await expect.poll(() => options.allTextContents()).toContain('times');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Escape');
    await scenarioEditor(page).getByText('connection').hover();
    await page.getByText('Breaks the response.').waitFor();
  });
});

test.skipIf(noBrowser)(
  'an active scenario shows its counts beside its rules, and the requests that met them',
  async () => {
    const name = `hits-${project}`;
    await put(name, toText(name, 1));
    await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [name] });
    const page = await open(`&edit=${name}`);
    await hint(page, 'fired 0 of 0 matched').waitFor();
    expect(await importJobs('A-1')).toBe(503);
    expect(await importJobs('A-2')).toBe(202);
    await hint(page, 'fired 1 of 2 matched, used up').waitFor();
    const activity = page.getByRole('region', { name: 'Activity' });
    await expect.poll(() => activity.getByRole('link').allTextContents()).toEqual(['asyncImportJobs']);
    await activity.getByText('A-1').waitFor();
    await activity.getByRole('link', { name: 'asyncImportJobs' }).click();
    await expect.poll(() => page.url()).toContain('request=req_');
  },
);

test.skipIf(noBrowser)(
  'counts that arrive after another scenario was opened are not shown beside its rules',
  async () => {
    const [name, other] = [`left-${project}`, `next-${project}`];
    await put(name, toText(name, 1));
    await put(other, toText(other, 1));
    await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [name, other] });
    expect(await importJobs('A-1')).toBe(503);
    const page = await open('');
    const counts = new RegExp(`/requests\\?.*scenario=${name}$`);
    const gate = createGate();
    await page.route(counts, async (route) => {
      await gate.passed;
      await route.continue();
    });
    const edit = (scenario: string) => show(page, `/scenarios?project=${project}&edit=${scenario}`);
    const sent = page.waitForRequest(counts);
    await edit(name);
    await sent;
    await edit(other);
    await hint(page, 'fired 0').waitFor();
    const arrived = page.waitForResponse(counts);
    gate.open();
    await (await arrived).finished();
    await processed(page);
    expect(await page.getByRole('note').textContent()).toContain('fired 0');
  },
);

test.skipIf(noBrowser)(
  'a scenario created from a request repeats its response and its downstream failures',
  async () => {
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
  },
);

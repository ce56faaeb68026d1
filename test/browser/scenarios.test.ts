/** A tester finds, activates and arms scenarios and single failures in one list, and writes new ones as text. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { findBarriers } from '../harness/browser.ts';
import {
  createGate,
  heading,
  inBrowser,
  notices,
  rowLinks,
  scenarioContains,
  scenarioEditor,
  show,
  textsOf,
  useConsole,
  writeScenario,
} from './page.ts';

const console = useConsole();
const { sandbox, project, importJobs, activate, freeze, advance, items, control } = console;

/** Sends as a client does, because the document need not declare the response of a scenario. */
async function importOrder(): Promise<number> {
  const { status } = await fetch(`${sandbox.url()}/sync/projects/${project()}/orders`, {
    method: 'POST',
    headers: { apikey: 'sandbox-key', 'content-type': 'application/json' },
    body: '{"orders":[{"id":"O-1"}]}',
  });
  return status;
}

const active = async () => (await control('GET', '/scenarios')).body.scenarios as readonly string[];
const serverScenarios = async () => (await sandbox.control('GET', '/server-scenarios')).body.scenarios;
const stored = (name: string) => sandbox.control('GET', `/scenarios/${name}`);
const open = (query = '', options = {}) => console.open(`scenarios${query}`, options);
const activeSection = (page: Page) => page.getByRole('region', { name: `Active in ${project()}` });
const toggle = (page: Page, name: string, of = project()) =>
  page.getByRole('switch', { name: `${name} for ${of}`, exact: true });
/** The texts of the active rules: rule, matched, fired and left. */
const rules = async (page: Page) =>
  (await textsOf(page.getByRole('region', { name: 'Rules' }).getByRole('cell'))).slice(0, 4);
const put = (name: string, text: string) =>
  sandbox.control('PUT', `/scenarios/${name}`, text, { 'content-type': 'application/yaml' });
const toText = (name: string, times: string | number = 2) => `name: ${name}
rules:
  - name: down # for a while
    when: { operation: syncImportOrders, project: p-* }
    then: { respond: { status: 503 } }
    times: ${times}
`;
const issues = (page: Page) => page.getByRole('list', { name: 'Mistakes and warnings' }).getByRole('listitem');
/** Returns the text of the editor. Each child is a line. */
const textOf = (page: Page): Promise<string> =>
  scenarioEditor(page).evaluate((text) =>
    Array.from(text.children, (line: typeof text) => line.textContent).join('\n'),
  );
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

inBrowser('scenarios are found, activated and deactivated, for the project or for all', async () => {
  const page = await open();
  await activeSection(page).getByText('No active scenario.').waitFor();
  await page.getByLabel('Search scenarios').fill('flak');
  await toggle(page, 'flaky').click();
  await expect.poll(() => toggle(page, 'flaky').getAttribute('aria-checked')).toBe('true');
  await page.getByLabel('Search scenarios').fill('shipped');
  await toggle(page, 'outage').focus();
  await page.keyboard.press('Space');
  await expect.poll(active).toEqual(['outage', 'flaky']);
  await activeSection(page).getByRole('button', { name: 'Deactivate flaky' }).click();
  await expect.poll(active).toEqual(['outage']);
  await toggle(page, 'outage').click();
  await expect.poll(active).toEqual([]);
  await show(page, `/scenarios?project=${project()}`);
  const forAll = toggle(page, 'outage', 'all projects');
  await forAll.click();
  await activeSection(page).getByRole('rowheader', { name: 'outage all projects' }).first().waitFor();
  await forAll.click();
  await expect.poll(serverScenarios).toEqual([]);
});

inBrowser('what each rule did is counted; a scenario is armed again, and deleted', async () => {
  const name = `orders-down-${project()}`;
  await put(name, toText(name));
  await importOrder();
  const page = await open();
  await toggle(page, name).click();
  await expect.poll(() => rules(page)).toEqual(['down', '0', '0', '2']);
  expect([await importOrder(), await importOrder(), await importOrder()]).toEqual([503, 503, 200]);
  await expect.poll(() => rules(page)).toEqual(['down', '3', '2', 'used up']);
  await activeSection(page).getByRole('button', { name: 'Arm again' }).click();
  await page.getByText(`${name} is armed again.`).waitFor();
  await expect.poll(() => rules(page)).toEqual(['down', '0', '0', '2']);
  expect(await importOrder()).toBe(503);
  await activeSection(page).getByRole('link', { name: '1', exact: true }).click();
  await expect.poll(() => page.url()).toContain(`scenario=${name}`);

  await show(page, `/scenarios?project=${project()}&q=own`);
  await page
    .getByRole('button', { name: /^Delete/ })
    .first()
    .waitFor();
  expect(await page.getByRole('button', { name: 'Delete outage' }).count()).toBe(0);
  await press(page, `Delete ${name}`);
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText(`Deleted ${name}.`).waitFor();
  expect((await stored(name)).status).toBe(404);
});

inBrowser('a single failure of an operation is activated, occurs, and opens as text', async () => {
  const page = await open();
  await page.getByLabel('Operation of single failures').selectOption('syncImportOrders');
  await page.getByLabel('Search scenarios').fill('503');
  await toggle(page, 'syncimportorders-status-503').click();
  await expect.poll(active).toEqual(['syncimportorders-status-503']);
  expect(await importOrder()).toBe(503);
  // It is listed beside those of any other operation as well.
  await page.getByLabel('Operation of single failures').selectOption('asyncImportJobs');
  await page.getByRole('row', { name: /^status-503 syncImportOrders: / }).waitFor();
  await activeSection(page).getByRole('link', { name: 'syncimportorders-status-503' }).click();
  await scenarioContains(page, 'status: 503');
  await show(page, `/scenarios?project=${project()}&op=syncImportOrders&q=status-502`);
  await page.getByRole('rowheader').getByRole('link', { name: 'status-502' }).click();
  await scenarioContains(page, 'name: syncimportorders-status-502');
  // Another one would replace the unsaved one.
  await show(page, `/scenarios?project=${project()}&op=syncImportOrders&q=status-504`);
  await page.getByRole('link', { name: 'Continue the unsaved syncimportorders-status-502' }).waitFor();
  await page.getByRole('rowheader').getByRole('link', { name: 'status-504', exact: true }).click();
  const question = page.getByRole('dialog', { name: 'Discard the unsaved syncimportorders-status-502?' });
  await question.getByRole('button', { name: 'Discard' }).click();
  await scenarioContains(page, 'name: syncimportorders-status-504');
});

inBrowser('a scenario that was given inline opens from its callback as YAML, and is saved', async () => {
  const name = `inline-${project()}`;
  await activate({ name, rules: [{ name: 'no street', when: { item: 1 }, then: { fail: 'No such street' } }] });
  await freeze();
  await importJobs('J-1');
  await advance();
  const page = await open();
  // What needs its text reads it from the project, because the library does not have it.
  await toggle(page, name, 'all projects').click();
  await expect.poll(serverScenarios).toEqual([name]);
  await toggle(page, name, 'all projects').click();
  await expect.poll(serverScenarios).toEqual([]);
  const [callback] = await items('callbacks');
  await show(page, `/callbacks?project=${project()}&callback=${callback?.['id']}`);
  await page.getByRole('complementary', { name: 'Callback' }).getByRole('link', { name }).click();
  await expect.poll(() => textOf(page)).toContain('    when: { item: 1 }\n    then: { fail: No such street }');
  await page.getByText('the library does not have it').waitFor();
  await press(page, 'Save');
  await page.getByText(`Saved ${name}.`).waitFor();
  expect((await stored(name)).body.rules).toBe(1);
});

inBrowser('the third job of the next import fails in three actions, and again when it is armed again', async () => {
  await freeze();
  const page = await console.open('live');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('third job');
  await page.keyboard.press('Enter');
  await press(page, `Save and activate for ${project()}`);
  await page.getByText(`Activated third-entry-fails for ${project()}.`).waitFor();
  const failed = async () => (await items('callbacks')).map(({ body }) => (body as typeof failedOne).data.failed);
  const failedOne = { data: { failed: [{ id: 'A-3', reason: 'Address could not be geocoded' }] } };
  await importJobs('A-1', 'A-2', 'A-3', 'A-4');
  await importJobs('B-1', 'B-2', 'B-3', 'B-4');
  await advance();
  expect(await failed()).toEqual([failedOne.data.failed]);
  await page.getByRole('link', { name: 'Scenarios' }).last().click();
  await activeSection(page).getByText('used up').waitFor();
  await press(page, 'Arm again');
  await expect.poll(async () => (await rules(page)).at(-1)).toBe('1');
  await importJobs('C-1', 'C-2', 'C-3');
  await advance();
  expect((await failed()).length).toBe(2);
  await activeSection(page).getByRole('link', { name: '1', exact: true }).click();
  await rowLinks(page, 'Requests').first().click();
  // The request makes a scenario of its own, which repeats its failure.
  await page.getByRole('button', { name: 'Create scenario from this' }).click();
  await expect.poll(() => textOf(page)).toContain('when: { operation: asyncImportJobs, item: 3 }');
  await press(page, `Save and activate for ${project()}`);
  await expect.poll(async () => (await active())[0]).toMatch(/^like-req-/);
});

inBrowser('more scenarios than one page has are said to be left out', async () => {
  const names = Array.from({ length: 100 }, (_, n) => `many-${n}`);
  for (const name of names) await put(name, toText(name));
  const page = await open('?op=all');
  await page.getByText('Only the first 1,000 are listed: choose one operation.').waitFor();
  for (const name of names) await sandbox.control('DELETE', `/scenarios/${name}`);
});

inBrowser('a new scenario starts with a starter without mistakes, or gets rules from the form', async () => {
  const page = await open('?edit=new&from=next-request-503');
  await expect.poll(() => textOf(page)).toContain('name: next-request-503');
  const starter = page.getByRole('group', { name: 'Start with' }).getByRole('button');
  for (const one of await starter.all()) {
    const checked = page.waitForResponse(/\/scenario-checks/);
    await one.click();
    await checked;
    await page.getByText('No mistakes').waitFor();
  }
  expect(page.url()).toContain('from=callback-twice');
  const name = `form-${project()}`;
  await put(name, `${toText(name)}expect:\n  - requests: { operation: asyncImportJobs, count: 1 }\n`);
  await show(page, `/scenarios?project=${project()}&edit=${name}`);
  await expect.poll(() => textOf(page)).toContain(name);
  const form = page.getByRole('form', { name: 'Add a rule' });
  await form.getByLabel('What happens').selectOption('failed-downstream');
  await form.getByLabel('Entry').selectOption('by id');
  await form.getByLabel('Ids of entries').fill('X-*, Y-1');
  await form.getByLabel('Requests').selectOption('only the next one');
  await press(page, 'Add to the text');
  await expect.poll(() => textOf(page)).toContain('item: { id: ["X-*", "Y-1"] } }\n    times: 1\n    then: { fail: ');
  expect(await textOf(page)).toMatch(/down # for a while.*X-\*.*\nexpect:\n/s);
  await page.getByText('not saved', { exact: true }).waitFor();
  await press(page, 'Discard changes');
  await expect.poll(() => textOf(page)).not.toContain('X-*');
  for (const [indent, comment] of [
    ['', '# At the end.'],
    ['    ', '# At the end.\nexpect:\n    - requests: { count: 1 }'],
  ] as const) {
    await writeScenario(page, `name: ${name}\nrules:\n${indent}- then: { respond: { status: 503 } }\n${comment}`);
    await press(page, 'Add to the text');
    await expect.poll(() => textOf(page)).toContain(`\n${indent}- when: { operation: asyncImportJobs`);
    await page.getByText('No mistakes').waitFor();
    expect(await textOf(page)).toContain(`}\n${comment}`);
  }
  await writeScenario(page, `name: ${name}\nrules: [ ] # None.`);
  await press(page, 'Add to the text');
  await expect.poll(() => textOf(page)).toContain('rules: # None.\n  - when: { operation: asyncImportJobs');
  const brackets = `name: ${name}\nrules: [{ then: { respond: { status: 503 } } }]`;
  await writeScenario(page, brackets);
  await press(page, 'Add to the text');
  await page.getByText('Not added: the rules of this text are in brackets.').waitFor();
  expect(await textOf(page)).toBe(brackets);
});

inBrowser('the text is checked while typing, and kept while away or while Save runs', async () => {
  const name = `typed-${project()}`;
  const page = await open('?edit=new', { height: 640 });
  const wrong = toText(name, 'often').replace('Orders,', 'Order,');
  await scenarioEditor(page).waitFor();
  await writeScenario(page, wrong);
  await expect
    .poll(() => textsOf(issues(page)))
    .toEqual([expect.stringMatching(/4:24\s.*did you mean syncImportOrders/s), expect.stringMatching(/6:12\s/s)]);
  expect(await findBarriers(page)).toEqual([]);
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await expect.poll(async () => (await save.boundingBox())?.y).toBeLessThan(600);
  await issues(page).last().getByRole('button').click();
  await page.keyboard.insertText('very-');
  await scenarioEditor(page).press('Control+s');
  // The list says why, in view: no notice covers it.
  await page.getByText('Not saved: 2 mistakes').waitFor();
  expect(await notices(page).textContent()).not.toContain('Not saved');
  await show(page, `/clock?project=${project()}`);
  await heading(page, 'Project').waitFor();
  await page.goBack();
  await expect.poll(() => textOf(page)).toBe(wrong.replace('often', 'very-often'));

  await writeScenario(page, toText(name, 3));
  await page.getByText('No mistakes').waitFor();
  const gate = createGate();
  await page.route(`**/_sandbox/scenarios/${name}*`, async (route) => {
    if (route.request().method() === 'PUT') await gate.passed;
    await route.continue();
  });
  const sent = page.waitForRequest((request) => request.method() === 'PUT');
  await scenarioEditor(page).press('Control+s');
  await sent;
  await writeScenario(page, toText(name, 4));
  gate.open();
  await page.getByText(`Saved ${name}.`).waitFor();
  await expect.poll(() => page.url()).toContain(`edit=${name}`);
  await page.getByText('not saved', { exact: true }).waitFor();
  await expect.poll(() => textOf(page)).toBe(toText(name, 4));
  expect((await stored(name)).body.text).toBe(toText(name, 3));
  expect(await active()).toEqual([]);
  // A new one with the name of another one replaces it after a question only.
  await show(page, `/scenarios?project=${project()}&edit=new`);
  await expect.poll(() => textOf(page)).not.toContain(name);
  await writeScenario(page, toText(name, 5));
  await expect.poll(() => textOf(page)).toBe(toText(name, 5));
  const question = page.getByRole('dialog', { name: `Replace ${name}?` });
  await save.click();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText(`Not saved: ${name} exists already`).waitFor();
  expect((await stored(name)).body.text).toBe(toText(name, 3));
  await save.click();
  await question.getByRole('button', { name: 'Replace' }).click();
  await expect.poll(async () => (await stored(name)).body.text).toBe(toText(name, 5));
});

inBrowser('a text with the line breaks of Windows opens without changes', async () => {
  const lines = toText('windows', 3).trimEnd().split('\n');
  const text = lines.map((line) => `${line}\r\n`).join('');
  await put('windows', text);
  const page = await open('?edit=windows');
  await page.getByText('No mistakes').waitFor();
  const unsaved = page.getByText('not saved', { exact: true });
  await expect.poll(() => textOf(page)).toBe([...lines, ''].join('\n'));
  expect(await unsaved.count()).toBe(0);
  // A change that is undone leaves nothing to save.
  await scenarioEditor(page).press('Control+End');
  await page.keyboard.type('#');
  await unsaved.waitFor();
  await page.keyboard.press('Control+z');
  await expect.poll(() => unsaved.count()).toBe(0);
});

inBrowser('in the text, keys of the page are letters, and a rule that never fires is warned of', async () => {
  const page = await open('?edit=new');
  await scenarioEditor(page).waitFor();
  // Elsewhere, `?` opens the help, and `g` and a letter lead to a screen.
  await writeScenario(page, '# ');
  await page.keyboard.type('gateway? A grid/');
  await scenarioContains(page, '# gateway? A grid/');
  expect(await page.getByRole('dialog').count()).toBe(0);
  const rule = '  - then: { respond: { status: 503 } }\n';
  await writeScenario(page, `name: a\nrules:\n${rule}${rule}`);
  await issues(page).filter({ hasText: 'never fires' }).waitFor();
});

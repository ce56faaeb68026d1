/** Locators, readings and steps that the tests of several screens share. They use roles, labels and texts only. */
import type { Locator, Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import type { OptionTexts } from '../../src/config/options.ts';
import { noBrowser, type PageOptions, type TestBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, type TestSandbox, useSandbox } from '../harness/sandbox.ts';

/** A test that needs a browser. */
export const inBrowser: typeof test = test.skipIf(noBrowser) as typeof test;

type Entries = readonly (string | object)[];
type Reply = ReturnType<TestSandbox['api']>;

/** A sandbox and a browser for a test file, with a fresh project for each test. */
export interface TestConsole {
  readonly sandbox: TestSandbox;
  readonly browser: TestBrowser;
  readonly project: () => string;
  /** Opens a screen of the project, such as `live` or `live?q=J-1`. */
  open(screen: string, options?: PageOptions): Promise<Page>;
  /** Imports jobs, each an entry or its id. */
  importJobs(...jobs: Entries): Reply;
  createJobs(...jobs: Entries): Reply;
  importOrders(...orders: Entries): Reply;
  /** Calls the control API for the project. */
  control(method: string, path: string, body?: unknown): Reply;
  activate(...scenarios: Entries): Reply;
  setEndpoint(endpoint: object): Reply;
  freeze(now?: string): Reply;
  advance(by?: string): ReturnType<TestSandbox['advance']>;
  items(list: string): ReturnType<TestSandbox['items']>;
}

export function useConsole(options: OptionTexts = {}): TestConsole {
  const sandbox = useSandbox(options);
  const browser = useBrowser();
  let project = '';
  beforeEach(() => {
    project = freshProject();
  });
  const toEntries = (entries: Entries) => entries.map((one) => (typeof one === 'string' ? { id: one } : one));
  const send = (path: string, list: string) => (entries: Entries) =>
    sandbox.api('POST', path.replace('PROJECT', project), { [list]: toEntries(entries) });
  const control: TestConsole['control'] = (method, path, body) =>
    sandbox.control(method, `/projects/${project}${path}`, body);
  return {
    ...{ sandbox, browser, control },
    project: () => project,
    open: (screen, pageOptions = {}) =>
      browser.open(sandbox.url(), `/${screen}${screen.includes('?') ? '&' : '?'}project=${project}`, pageOptions),
    importJobs: (...jobs) => send('/async/projects/PROJECT/jobs', 'jobs')(jobs),
    createJobs: (...jobs) => send('/sync/projects/PROJECT/jobs/batch', 'jobs')(jobs),
    importOrders: (...orders) => send('/sync/projects/PROJECT/orders', 'orders')(orders),
    activate: (...scenarios) => control('PUT', '/scenarios', { scenarios }),
    setEndpoint: (endpoint) => control('PUT', '/callback-endpoint', endpoint),
    freeze: (now) => control('PUT', '/clock', { mode: 'frozen', ...(now && { now }) }),
    advance: (by) => sandbox.advance(project, by),
    items: (list) => sandbox.items(project, list),
  };
}

/** Returns the id of a request by its response. */
export const idOf = ({ headers }: { readonly headers: Record<string, string> }): string =>
  String(headers['x-request-id']);

/** The screens of the console: their names in the URL, and their headings. */
export const screens = {
  live: 'Requests',
  quality: 'Quality',
  records: 'Records',
  map: 'Records',
  callbacks: 'Callbacks',
  scenarios: 'Scenarios',
  clock: 'Project',
  reference: 'API reference',
  connect: 'Connect',
} as const;
export const screenNames = Object.keys(screens) as readonly (keyof typeof screens)[];
/** The screens without those that are tabs of another one. */
export const mainScreens: readonly (keyof typeof screens)[] = screenNames.filter(
  (name) => name !== 'map' && name !== 'connect',
);

export const main = (page: Page): Locator => page.getByRole('main');
export const navigation = (page: Page): Locator => page.getByRole('navigation', { name: 'Screens' });
/** The state of the event stream, such as `live`. */
export const connection = (page: Page, text: string): Locator =>
  page.getByRole('banner').getByRole('status').getByText(text, { exact: true });
export const heading = (page: Page, name: string): Locator => page.getByRole('heading', { level: 1, name });
export const notices = (page: Page): Locator => page.getByRole('status', { name: 'Notices' });
/** The links of the rows of a table. */
export const rowLinks = (page: Page, table: string): Locator =>
  page.getByRole('grid', { name: table }).getByRole('link');
/** The rows of a table below its header. */
export const bodyRows = (table: Locator): Locator => table.getByRole('rowgroup').last().getByRole('row');
/** Returns the texts of a column of a grid, by its number or title. Columns that are hidden do not count. */
export async function columnOf(grid: Locator, column: number | string): Promise<readonly string[]> {
  const [titles, texts] = [
    await textsOf(grid.getByRole('columnheader')),
    await textsOf(bodyRows(grid).getByRole('gridcell')),
  ];
  const number = typeof column === 'number' ? column : titles.findIndex((title) => title.startsWith(column));
  return texts.filter((_, index) => index % titles.length === number);
}
export const requestDetail = (page: Page): Locator => page.getByRole('complementary', { name: 'Request' });
/** The item of the list that contains a text as a whole. */
export const itemWith = (page: Page, list: Locator, text: string): Locator =>
  list.getByRole('listitem').filter({ has: page.getByText(text, { exact: true }) });

const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
/** Returns the text of an element in one line. */
export const textOf = async (element: Locator): Promise<string> => inOneLine((await element.textContent()) ?? '');
/** Returns what is visible of the text of each element, in one line. */
export const visibleTextsOf = async (elements: Locator): Promise<readonly string[]> =>
  (await elements.allInnerTexts()).map(inOneLine);
/** Returns the text of each element in one line. */
export const textsOf = async (elements: Locator): Promise<readonly string[]> =>
  (await elements.allTextContents()).map(inOneLine);

/** Returns the name of what has the focus. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(
    '(({ ariaLabel, textContent }) => ariaLabel ?? textContent.trim())(document.activeElement)',
  ) as Promise<string>;
export const hasFocus = (element: Locator): Promise<boolean> =>
  element.evaluate((one) => one === one.ownerDocument.activeElement);
export const copied = (page: Page): Promise<string> =>
  page.evaluate('navigator.clipboard.readText()') as Promise<string>;
/** Shows another screen without loading the page again. */
export const show = (page: Page, route: string): Promise<unknown> =>
  page.evaluate(`location.hash = ${JSON.stringify(`#${route}`)}`);
/** Waits until the page has processed all responses before. */
export const processed = (page: Page): Promise<unknown> =>
  page.evaluate(
    'fetch(location.href).then((response) => response.text()).then(() => new Promise(requestAnimationFrame))',
  );
/** Holds requests until `open` is called. */
export function createGate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
}

/** The button of the project menu. Its name ends with the shown project. */
export const projectButton = (page: Page): Locator =>
  page.getByRole('banner').getByRole('button', { name: /^Project: / });

export async function shownProject(page: Page): Promise<string> {
  return ((await projectButton(page).getAttribute('aria-label')) ?? '').replace('Project: ', '');
}

/** Opens the menu of projects. */
export async function openProjects(page: Page): Promise<Locator> {
  await projectButton(page).click();
  const menu = page.getByRole('dialog', { name: /^Project: / });
  await menu.waitFor();
  return menu;
}

/** Shows a project, existing or not. */
export async function chooseProject(page: Page, id: string): Promise<void> {
  const menu = await openProjects(page);
  await menu.getByRole('combobox').fill(id);
  await menu
    .getByRole('option')
    .filter({ has: page.getByText(id, { exact: true }) })
    .click();
}

/** Chooses the theme after that of the system, which is light in tests, and the next one. */
export async function chooseDark(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Theme: system' }).click();
  await page.getByRole('button', { name: 'Theme: light' }).click();
}

export const scenarioEditor = (page: Page): Locator => page.getByLabel('Scenario text');

/** Replaces the text of a scenario, as a user who selects and pastes it. */
export async function writeScenario(page: Page, text: string): Promise<void> {
  await scenarioEditor(page).press('Control+a');
  await page.keyboard.insertText(text);
}

/** Waits until the editor contains a text. */
export const scenarioContains = (page: Page, text: string): Promise<void> =>
  expect.poll(() => scenarioEditor(page).textContent()).toContain(text);

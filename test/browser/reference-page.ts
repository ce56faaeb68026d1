/** Locators and actions for the tests of the API reference. */
import type { Locator, Page } from 'playwright-core';

/** The links of all listed operations. */
export function links(page: Page): Locator {
  return page.getByRole('navigation', { name: 'Operations' }).getByRole('link');
}

/** The link of one operation. */
export function link(page: Page, id: string): Locator {
  return links(page).filter({ has: page.getByText(id, { exact: true }) });
}

export function form(page: Page): Locator {
  return page.getByRole('form', { name: 'Request' });
}

export function response(page: Page): Locator {
  return page.getByRole('region', { name: 'Response' });
}

export function bodyField(page: Page): Locator {
  return page.getByLabel('Request body');
}

export async function press(page: Page): Promise<void> {
  await form(page).getByRole('button', { name: 'Send' }).click();
}

/** Sends a body with the open operation, and waits for the status of the response. */
export async function execute(page: Page, body: string, status: number): Promise<void> {
  await bodyField(page).fill(body);
  await press(page);
  await response(page).getByText(String(status), { exact: true }).waitFor();
}

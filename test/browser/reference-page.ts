/** Locators and actions for the tests of the API reference. */
import type { Locator, Page } from 'playwright-core';

/** All operations that are listed. */
export function blocks(page: Page): Locator {
  return page.locator('.opblock');
}

/** The block of one operation, open or not. */
export function operation(page: Page, id: string): Locator {
  const name = page.locator('.opblock-summary-operation-id').getByText(id, { exact: true });
  return blocks(page).filter({ has: name });
}

/** Sends a body with the open operation, and waits for the status of the response. */
export async function execute(block: Locator, body: string, status: number): Promise<void> {
  await block.getByLabel('Request body').fill(body);
  await block.getByRole('button', { name: 'Execute' }).click();
  await block.locator('.live-responses-table .response-col_status').getByText(String(status)).waitFor();
}

/** The bar at the top of the console: its project menu and its theme menu. */
import type { Locator, Page } from 'playwright-core';

/** Its accessible name ends with the shown project. */
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

export async function chooseTheme(page: Page, name: 'System' | 'Light' | 'Dark'): Promise<void> {
  await page.getByRole('button', { name: 'Theme' }).click();
  await page.getByRole('dialog', { name: 'Theme' }).getByRole('button', { name }).click();
}

/** Reads what the map shows from the pixels of its canvases, which have no roles: the ground, and the items above it. */
import type { Locator, Page } from 'playwright-core';

export const mapOf = (page: Page): Locator => page.getByRole('region', { name: 'Map:' });
const groundOf = (page: Page): Locator => mapOf(page).locator('canvas').first();
const itemsOf = (page: Page): Locator => mapOf(page).locator('canvas').last();

/** Counts the drawn pixels in a color of the map, such as `driver-1`. */
export function painted(page: Page, name: string): Promise<number> {
  return itemsOf(page).evaluate((canvas, token) => {
    const probe = canvas.parentElement.appendChild(canvas.ownerDocument.createElement('span'));
    probe.style.color = `var(--${token})`;
    const wanted = canvas.ownerDocument.defaultView.getComputedStyle(probe).color.match(/\d+/g).map(Number);
    probe.remove();
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3] === 255 && wanted.every((value: number, index: number) => value === data[at + index]))
        count += 1;
    }
    return count;
  }, name);
}

/** Returns the most frequent color of the background, or an empty text without outlines. */
export async function ground(page: Page): Promise<string> {
  if ((await mapOf(page).locator('canvas').count()) < 2) return '';
  return groundOf(page).evaluate((canvas) => {
    const counts = new Map<string, number>();
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    for (let at = 0; at < data.length; at += 4) {
      const color = data.slice(at, at + 3).join();
      if (data[at + 3] === 255) counts.set(color, (counts.get(color) ?? 0) + 1);
    }
    return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? '';
  });
}

export const isGroundVisible = (page: Page): Promise<boolean> => groundOf(page).isVisible();

/** Returns the color in the center of the map. */
export async function middle(page: Page): Promise<string> {
  const { x = 0, y = 0, width = 0, height = 0 } = (await mapOf(page).boundingBox()) ?? {};
  return itemsOf(page).evaluate(
    (canvas, [left, top]) => {
      const box = canvas.getBoundingClientRect();
      const at = [left - box.x, top - box.y].map((one) => one * (canvas.width / box.width));
      return [...canvas.getContext('2d').getImageData(at[0], at[1], 1, 1).data].slice(0, 3).join();
    },
    [x + width / 2, y + height / 2] as const,
  );
}

/** Reads what the map shows from the pixels of its canvases. */
import type { Page } from 'playwright-core';

/** Counts the drawn pixels in a color of the map, such as `driver-1`. */
export async function painted(page: Page, name: string): Promise<number> {
  return (await page.evaluate(`(() => {
    const probe = document.querySelector('map-screen').appendChild(document.createElement('span'));
    probe.style.color = 'var(--${name})';
    const wanted = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
    probe.remove();
    const canvas = document.querySelector('canvas.map-items');
    if (!canvas?.width) return 0;
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3] === 255 && wanted.every((value, index) => value === data[at + index])) count += 1;
    }
    return count;
  })()`)) as number;
}

/** Returns the most frequent color of the background, or an empty text without outlines. */
export async function ground(page: Page): Promise<string> {
  return (await page.evaluate(`(() => {
    const canvas = document.querySelector('.map-ground canvas');
    const counts = new Map();
    const { data } = canvas?.getContext('2d').getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
    for (let at = 0; at < data.length; at += 4) {
      const colour = data.slice(at, at + 3).join();
      if (data[at + 3] === 255) counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
    return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? '';
  })()`)) as string;
}

/** Returns the color in the center of the map. */
export async function middle(page: Page): Promise<string> {
  return (await page.evaluate(`(() => {
    const map = document.querySelector('.map-canvas').getBoundingClientRect();
    const canvas = document.querySelector('canvas.map-items');
    const { x, y, width } = canvas.getBoundingClientRect();
    const at = [map.x + map.width / 2 - x, map.y + map.height / 2 - y].map((one) => one * (canvas.width / width));
    return [...canvas.getContext('2d').getImageData(...at, 1, 1).data].slice(0, 3).join();
  })()`)) as string;
}

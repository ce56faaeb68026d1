/** The build contains every icon of the list, so each must be used. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const list = 'parts/icon.ts';

test('each icon of the list is used', () => {
  const names = [...readFileSync(`src/console/${list}`, 'utf8').matchAll(/^ {2}'?([\w-]+)'?: lucide\./gm)];
  const files = readdirSync('src/console', { recursive: true, encoding: 'utf8' });
  const others = files.filter((file) => file.endsWith('.ts') && file !== list);
  const text = others.map((file) => readFileSync(`src/console/${file}`, 'utf8')).join('\n');
  expect(names.length).toBeGreaterThan(30);
  expect(names.map(([, name]) => name).filter((name) => !text.includes(`'${name}'`))).toEqual([]);
});

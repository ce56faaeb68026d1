/** The build contains every icon of the list, so each must be used. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { shapes } from '../../src/console/parts/icon-shapes.ts';

test('each icon of the list is used', () => {
  const names = Object.keys(shapes);
  const files = readdirSync('src/console', { recursive: true, encoding: 'utf8' });
  const others = files.filter((file) => file.endsWith('.ts') && file !== 'parts/icon-shapes.ts');
  const text = others.map((file) => readFileSync(`src/console/${file}`, 'utf8')).join('\n');
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => !text.includes(`'${name}'`))).toEqual([]);
});

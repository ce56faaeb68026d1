/** The colors of both themes have enough contrast: 4.5 for text, 3 for the borders of fields, after WCAG 2.2 AA. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const source = readFileSync('src/console/theme/tokens.css', 'utf8');
const tokens = new Map(
  [...source.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
    ([, name = '', light = '', dark = '']) => [name, { light, dark }],
  ),
);

const surfaces = ['ground', 'sunken', 'raised', 'floating', 'hover', 'chosen'];
const texts = ['text', 'quiet', 'accent'];
const tinted = ['good', 'warn', 'bad', 'info'];

const pairs: readonly (readonly [text: string, ground: string, min: number])[] = [
  ...surfaces.flatMap((ground) => [...texts, ...tinted].map((text) => [text, ground, 4.5] as const)),
  ...['code-key', 'code-text', 'code-number'].flatMap((text) => [
    [text, 'sunken', 4.5] as const,
    [text, 'raised', 4.5] as const,
  ]),
  ...tinted.map((name) => [name, `${name}-ground`, 4.5] as const),
  ['quiet', 'quiet-ground', 4.5],
  ['on-accent', 'accent', 4.5],
  ['on-danger', 'danger', 4.5],
  ...['ground', 'raised', 'floating'].map((ground) => ['strong-line', ground, 3] as const),
];

describe.each(['light', 'dark'] as const)('the theme %s', (theme) => {
  test.each(pairs)('%s is readable on %s', (text, ground, min) => {
    expect(contrast(colorOf(text, theme), colorOf(ground, theme))).toBeGreaterThanOrEqual(min);
  });

  test('shows what is hovered and what is chosen in different colors', () => {
    expect(colorOf('hover', theme)).not.toBe(colorOf('chosen', theme));
  });
});

test('styles use tokens without another value, because all exist', () => {
  const styles = readdirSync('src/console', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.css'),
  );
  const uses = styles.flatMap((name) => [...readFileSync(`src/console/${name}`, 'utf8').matchAll(/var\((--[\w-]+),/g)]);
  expect(uses.filter(([, name]) => source.includes(`  ${name}:`)).map(([use]) => use)).toEqual([]);
});

function colorOf(name: string, theme: 'light' | 'dark'): string {
  const color = tokens.get(name)?.[theme];
  if (color === undefined) throw new Error(`no token ${name}`);
  return color;
}

function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** The relative luminance of WCAG. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Tests find what they test by role, label and text, as users do, so they survive other elements and other styles. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Ways to find elements by tag, class, attribute or id. */
const forbidden =
  /(?:\.locator|querySelector(?:All)?|getElements?By\w+|\$\$?eval|\.\$\$?|getByTestId|waitForSelector|\.closest)\(.*/g;

test('no test of the console depends on its tags, classes or ids', () => {
  const files = readdirSync('test/browser')
    .filter((file) => file !== 'locators.test.ts')
    .map((file) => [file, `test/browser/${file}`]);
  const found = [...files, ['browser.ts', 'test/harness/browser.ts']].flatMap(([name, path = '']) =>
    Array.from(readFileSync(path, 'utf8').matchAll(forbidden), ([code]) => `${name}: ${code}`),
  );
  expect(found).toEqual([]);
});

import { expect, test } from 'vitest';
import { maskUrl } from '../../src/lib/mask-url.ts';

test.each([
  ['http://localhost:9000/hooks?a=b', 'http://localhost:9000/hooks?a=b'],
  ['localhost:9000', 'localhost:9000'],
  ['http://me:hunter2@localhost/', 'http://***@localhost/'],
  ['http://me:hun/ter2@localhost/', 'http://***@localhost/'],
  ['http:/\\me:hunter2@localhost', 'http:/\\***@localhost'],
  ['//me:hunter2@localhost', '//***@localhost'],
  ['me:hunter2@localhost', 'me:***@localhost'],
  ['me hunter2@localhost', '***@localhost'],
  ['http://localhost/?x=1&token=hunter2&y=2', 'http://localhost/?x=1&token=***&y=2'],
  ['http://localhost/?t%6fken=hunter2', 'http://localhost/?t%6fken=***'],
  ['http://localhost/?%=1', 'http://localhost/?%=1'],
  [`http://${'x'.repeat(300)}`, `http://${'x'.repeat(193)}…`],
])('%s is shown as %s', (text, shown) => {
  expect(maskUrl(text)).toBe(shown);
});

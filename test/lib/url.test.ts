/** Check of URLs, also after many calls: V8 then calls another implementation of the platform's own check. */
import { expect, test } from 'vitest';
import { isUrl } from '../../src/lib/url.ts';

test.each([
  ['http://bücher.example/', true],
  ['http://localhost:9000/callbacks', true],
  ['localhost', false],
  ['http://', false],
])('%s: %s', (text, is) => {
  const answers = new Set(Array.from({ length: 20_000 }, () => isUrl(text)));
  expect([...answers]).toEqual([is]);
});

/** JUnit XML: special characters are escaped, and those that XML does not allow are removed. */
import { expect, test } from 'vitest';
import { toXml } from '../../../src/cli/output/junit.ts';

test('invalid XML characters are removed, and all others are kept', () => {
  const reason = 'a\u0000b\u001b[0m <tag a="1" b=\'2\'> & ]]> \ud800 \u{1f600} \uffff true\nnext';
  const checks = [{ name: 'case', outcome: 'failed', text: '', reason }] as const;
  const xml = toXml('run', [{ name: 'suite', checks }], {}, (text) => text);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  expect(xml).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
  const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
  const text = /<failure[^>]*>([^<]*)<\/failure>/.exec(xml)?.[1] ?? '';
  expect(text.replace(/&(\w+);/g, (_all, name: string) => entities[name] ?? '')).toBe(
    'ab[0m <tag a="1" b=\'2\'> & ]]>  \u{1f600}  true\nnext',
  );
});

/** The projects of a key, as the database finds them. */
import { expect, test } from 'vitest';
import { type ApiKey, toPatterns, toProjectNames } from '../../src/keys/api-key.ts';

test('the globs of a key become patterns of SQL', () => {
  const grant = (...texts: string[]) => ({ region: undefined, projects: toProjectNames(texts) });
  const key: ApiKey = {
    ...{ id: 'k', limits: undefined, expiresAtMs: undefined, hasGlob: true },
    grants: [grant('acme-*', 'exact'), grant('a_b%?', 'acme-*')],
  };
  expect(toPatterns(key)).toEqual(['acme-%', 'acme-%@__', 'a\\_b\\%_', 'a\\_b\\%_@__']);
});

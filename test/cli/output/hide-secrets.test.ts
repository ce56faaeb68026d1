/** Secrets of the options are hidden whole, in texts and in JSON, whatever their characters. */
import { expect, test } from 'vitest';
import { hideSecrets, toShownJson } from '../../../src/cli/output/hide-secrets.ts';
import { readOptions } from '../../harness/start-sandbox.ts';

test('a secret that begins with another is hidden to its end', () => {
  const options = readOptions({ apiKeys: ['abcd', 'abcd-private'] });
  expect(hideSecrets('got abcd-private, abcd', options)).toBe('got ***, ***');
});

test('in JSON, secrets with escaped characters are hidden too', () => {
  const options = readOptions({ adminToken: 'pass"word\\1' });
  expect(JSON.parse(toShownJson({ found: ['got pass"word\\1'], count: 1 }, options))).toEqual({
    found: ['got ***'],
    count: 1,
  });
});

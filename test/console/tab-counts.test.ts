/** The tabs of the quality screen show counts of the chosen project only. */
import { expect, test } from 'vitest';
import { countOf, setTabCount } from '../../src/console/screens/quality/tab-counts.ts';

test('a count is shown for the project that was counted', () => {
  setTabCount('problems', 'a', '7');
  setTabCount('coverage', 'b', '12 %');
  expect(countOf('problems', 'a')).toBe('7');
  expect(countOf('problems', 'b')).toBeUndefined();
  expect(countOf('coverage', 'b')).toBe('12 %');
  setTabCount('problems', 'b', '7');
  expect(countOf('problems', 'b')).toBe('7');
});

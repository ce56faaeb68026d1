/** A run fails in the same way as the first one, or in another. */
import { expect, test } from 'vitest';
import { isFailure, isSameFailure } from '../../../src/cli/shrink/run-rules.ts';
import type { TrialEnd } from '../../../src/cli/trial/trial.ts';

const ended = (end: TrialEnd, exitCode: number): { end: TrialEnd; exitCode: number } => ({ end, exitCode });
const passed = ended('exited', 0);
const failed = ended('exited', 1);
const hung = ended('hung', 143);

test('a command fails by its exit code, or by hanging', () => {
  expect([passed, failed, hung, ended('retrying', 0)].map(isFailure)).toEqual([false, true, true, true]);
});

test('a command that hangs does not fail in the same way as one that exits', () => {
  expect(isSameFailure(failed, ended('exited', 7))).toBe(true);
  expect(isSameFailure(hung, ended('retrying', 143))).toBe(true);
  expect(isSameFailure(failed, hung)).toBe(false);
  expect(isSameFailure(hung, failed)).toBe(false);
  expect(isSameFailure(failed, passed)).toBe(false);
});

/** Checks, as lines of a terminal and as cases of a JUnit suite. */
import type { Suite } from '../output/junit.ts';
import { cut, type Paint } from '../output/text.ts';

/** `skipped` means not required, or not run. */
export type Outcome = 'passed' | 'failed' | 'skipped';

export interface Check {
  readonly outcome: Outcome;
  /** The same in every run: the name of its case. */
  readonly name: string;
  /** The result, in one line. */
  readonly text: string;
  /** Further lines, such as how to fix it. They may have colours. */
  readonly details?: readonly string[];
  /** Why it failed, or was skipped, for its case. Default: its text. */
  readonly reason?: string;
  readonly seconds?: number;
}

const marks = { passed: '✓', failed: '✗', skipped: '–' } as const;
const colours = { passed: 'green', failed: 'red', skipped: 'gray' } as const;

export function toCheckLines(
  { outcome, text, details = [] }: Pick<Check, 'outcome' | 'text' | 'details'>,
  paint: Paint,
): readonly string[] {
  return [`  ${paint(colours[outcome], marks[outcome])} ${cut(text)}`, ...details.map((line) => `      ${line}`)];
}

export function toSuite(name: string, checks: readonly Check[]): Suite {
  return {
    name,
    cases: checks.map(({ outcome, name: title, text, reason = text, seconds }) => ({
      name: title,
      ...(seconds !== undefined && { seconds }),
      ...(outcome === 'failed' && { failure: reason }),
      ...(outcome === 'skipped' && { skipped: reason }),
    })),
  };
}

/** Checks, and how a terminal shows them. */
import { cut, type Paint } from '../output/text.ts';

/** `skipped` means not required, or not run. */
export type Outcome = 'passed' | 'failed' | 'skipped';

export interface Check {
  readonly outcome: Outcome;
  /** The same in every run: the name of its case. */
  readonly name: string;
  /** The result, in one line. */
  readonly text: string;
  /** Why it failed, or was skipped, for its case. Default: its text. */
  readonly reason?: string;
  readonly seconds?: number;
}

/** Checks with a name in common. */
export interface Suite {
  readonly name: string;
  readonly checks: readonly Check[];
}

const marks = { passed: '✓', failed: '✗', skipped: '–' } as const;
const colours = { passed: 'green', failed: 'red', skipped: 'gray' } as const;

/** Formats a check. `details`: further lines, such as how to fix it, which may have colours. */
export function toCheckLines(
  { outcome, text }: Pick<Check, 'outcome' | 'text'>,
  paint: Paint,
  details: readonly string[] = [],
): readonly string[] {
  return [`  ${paint(colours[outcome], marks[outcome])} ${cut(text)}`, ...details.map((line) => `      ${line}`)];
}

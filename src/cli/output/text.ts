/** Formats the lines of the commands' reports. */
import { styleText } from 'node:util';
import { withoutControls } from '../../diagnostics/line-excerpt.ts';

/** Colours a text, or returns it unchanged without a terminal. */
export type Paint = (colour: 'green' | 'red' | 'yellow' | 'gray' | 'bold', text: string) => string;

/** Returns the function that colours texts for a stream. */
export function paintFor(stream: NodeJS.WritableStream): Paint {
  return (colour, text) => styleText(colour, text, { stream });
}

/** Maximum length of a line, in characters. */
export const maxLineLength = 300;

/** Formats a duration in seconds. */
export function toSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** Formats a message about a bug of the sandbox, which a run met. */
export function toBugLine(bug: string): string {
  return `bug in the sandbox, not in your code: ${bug}`;
}

/** Cuts a long text around a position, and removes control characters. */
export function cut(text: string, focus = 0): string {
  const from = Math.max(0, Math.min(focus - maxLineLength / 3, text.length - maxLineLength));
  const shown = withoutControls(text.slice(from, from + maxLineLength));
  return `${from > 0 ? '…' : ''}${shown}${from + maxLineLength < text.length ? '…' : ''}`;
}

/** Maximum number of last lines of a command. */
const maxLastLines = 20;

/** Quotes the end of a command's output, for a sentence about its failure. */
export function toLastLines(output: string): string {
  const lines = output.trimEnd().split('\n').slice(-maxLastLines);
  return lines.join('') === '' ? 'It printed nothing.' : `Its last lines:\n${lines.join('\n')}`;
}

/** Prints each mistake on a line. @returns 2, the exit code for invalid input */
export function printMistakes(mistakes: readonly string[], printError: (text: string) => void): number {
  printError(mistakes.map((mistake) => `${mistake}\n`).join(''));
  return 2;
}

/** The text of a scenario in the editor: its name, and the lines of the parser's errors. */
import type { Schemas } from '../../data/client.ts';

/** Text of a new scenario. */
export const defaultText = `name: my-scenario
description: The third job of every import is accepted, and fails downstream two seconds later.
rules:
  - name: third job
    when: { operation: asyncImportJobs, item: 3 }
    then: { fail: Address could not be geocoded, after: 2s }
expect:
  - callbacks: { type: jobs.import.failed, count: 1 }
`;

/** An error of the parser and its position. */
export interface ParserError {
  /** Starts at 1. It is 0 if the error has no line. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** The line as it was when the sandbox rejected the text. */
  readonly content: string;
}

/** Returns the name in the text, which is YAML or JSON, or an empty text if it has none. */
export function nameOf(text: string): string {
  const found =
    /^name:[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s#]+))/m.exec(text) ?? /^\s*\{\s*"name"\s*:\s*"([^"\n]*)"/.exec(text);
  return found?.[1] ?? found?.[2] ?? found?.[3] ?? '';
}

/** Returns the text with another name. */
export function rename(text: string, name: string): string {
  return text.replace(/^name:.*$/m, `name: ${name}`);
}

export function toParserErrors(errors: readonly Schemas['Violation'][], text: string): readonly ParserError[] {
  const lines = text.split('\n');
  return errors.map(({ message }) => {
    const [, line = '0', column = '0', errorText = message] = /^(\d+):(\d+) (.*)$/s.exec(message) ?? [];
    return { line: Number(line), column: Number(column), message: errorText, content: lines[Number(line) - 1] ?? '' };
  });
}

/** Returns the errors whose lines have not changed. The others may be fixed. */
export function currentErrors(errors: readonly ParserError[], text: string): readonly ParserError[] {
  const lines = text.split('\n');
  return errors.filter(({ line, content }) => line === 0 || lines[line - 1] === content);
}

/** Converts a line and a column to an offset in the text. */
export function toOffset(text: string, { line, column }: Pick<ParserError, 'line' | 'column'>): number {
  const before = text.split('\n').slice(0, Math.max(0, line - 1));
  return before.reduce((sum, content) => sum + content.length + 1, 0) + Math.max(0, column - 1);
}

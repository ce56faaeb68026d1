/** The text of a scenario as the editor knows it: its name, and the lines that the parser's messages are of. */
import type { Schemas } from '../data/client.ts';

/** What a new one begins with. */
export const firstText = `name: my-scenario
description: The third job of every import is accepted, and fails downstream two seconds later.
rules:
  - name: third job
    when: { operation: asyncImportJobs, item: 3 }
    then: { fail: Address could not be geocoded, after: 2s }
expect:
  - callbacks: { type: jobs.import.failed, count: 1 }
`;

/** What the parser said, and of what. */
export interface Mistake {
  /** From 1; 0 where it is of no line. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** The line as it was when it was refused. */
  readonly content: string;
}

/** The name inside, in YAML or in JSON; empty where there is none. */
export function nameOf(text: string): string {
  const found =
    /^name:[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s#]+))/m.exec(text) ?? /^\s*\{\s*"name"\s*:\s*"([^"\n]*)"/.exec(text);
  return found?.[1] ?? found?.[2] ?? found?.[3] ?? '';
}

/** The text under another name. */
export function rename(text: string, name: string): string {
  return text.replace(/^name:.*$/m, `name: ${name}`);
}

export function toMistakes(errors: readonly Schemas['Violation'][], text: string): readonly Mistake[] {
  const lines = text.split('\n');
  return errors.map(({ message }) => {
    const [, line = '0', column = '0', said = message] = /^(\d+):(\d+) (.*)$/s.exec(message) ?? [];
    return { line: Number(line), column: Number(column), message: said, content: lines[Number(line) - 1] ?? '' };
  });
}

/** Where each stands now: with its line, as long as that is as it was. What was changed since may be right by now. */
export function placeMistakes(mistakes: readonly Mistake[], text: string): readonly Mistake[] {
  const lines = text.split('\n');
  return mistakes.flatMap((mistake) => {
    if (mistake.line === 0 || lines[mistake.line - 1] === mistake.content) return [mistake];
    const near = lines
      .map((content, index) => ({ content, line: index + 1 }))
      .filter(({ content }) => content === mistake.content && content.trim() !== '')
      .sort((one, other) => Math.abs(one.line - mistake.line) - Math.abs(other.line - mistake.line))[0];
    return near ? [{ ...mistake, line: near.line }] : [];
  });
}

/** How far into the text a line and column are. */
export function toOffset(text: string, { line, column }: Pick<Mistake, 'line' | 'column'>): number {
  const before = text.split('\n').slice(0, Math.max(0, line - 1));
  return before.reduce((sum, content) => sum + content.length + 1, 0) + Math.max(0, column - 1);
}

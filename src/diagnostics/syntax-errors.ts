/** Rewords the syntax errors of a YAML text for people who do not know the grammar, and locates them. */
import { type Document, Scalar, visit, type YAMLError } from 'yaml';
import type { YamlProblem } from './yaml-nodes.ts';

// Twice the number that is shown, because only the first error at each offset is reported.
const maxErrors = 200;
const sameIndentation = 'expected the indentation of the lines before';

/** Messages by error; the first rule that matches an error applies. */
const rules: readonly {
  readonly code: YAMLError['code'];
  readonly pattern?: RegExp;
  /** `where` is relative to the offset that is shown. */
  readonly words: string | ((match: readonly string[], where: 'before' | 'after') => string);
  /** Whether later errors are only consequences of this one, and not reported. */
  readonly isLast?: true;
}[] = [
  { code: 'MULTIPLE_DOCS', words: 'expected one document, and here begins a second', isLast: true },
  { code: 'TAB_AS_INDENT', words: 'tabs cannot indent YAML, use spaces', isLast: true },
  { code: 'BAD_ALIAS', words: 'text that begins with * or & needs quotes' },
  { code: 'BAD_SCALAR_START', pattern: /(.)$/u, words: ([, start]) => `text that begins with ${start} needs quotes` },
  {
    code: 'MISSING_CHAR',
    pattern: /closing ['"]quote/,
    words: 'here begins a text in quotes that never ends',
    isLast: true,
  },
  {
    code: 'MISSING_CHAR',
    pattern: /without - /,
    words: 'expected the indentation of the lines before, or - for an entry',
  },
  { code: 'MISSING_CHAR', pattern: /Missing , /, words: 'expected a comma before this' },
  {
    code: 'MISSING_CHAR',
    pattern: /must end with an? (.)/,
    words: ([, end], where) => `expected ${end} ${where} this`,
    isLast: true,
  },
  {
    code: 'BAD_INDENT',
    pattern: /must .* end with an? (.)/,
    words: ([, end], where) => `expected ${end} ${where} this`,
    isLast: true,
  },
  { code: 'BAD_INDENT', words: sameIndentation },
  {
    code: 'BLOCK_AS_IMPLICIT_KEY',
    words: 'no mapping can begin here: text with ": " in it needs quotes, keys of one mapping the same indentation',
  },
  { code: 'MULTILINE_IMPLICIT_KEY', words: 'expected a key, a colon and a space' },
  { code: 'BLOCK_IN_FLOW', words: 'expected a comma behind this value' },
  {
    code: 'UNEXPECTED_TOKEN',
    pattern: /at node end/,
    words: 'expected nothing behind the value: quotes go around all of it',
  },
  { code: 'UNEXPECTED_TOKEN', pattern: /in YAML stream: (.*)/, words: ([, token]) => `unexpected ${token}` },
  {
    code: 'TAG_RESOLVE_FAILED',
    pattern: /: (.*)/,
    words: ([, tag]) => `unknown tag ${tag} (text that begins with ! needs quotes)`,
  },
  {
    code: 'BAD_DQ_ESCAPE',
    pattern: /sequence (.*)/,
    words: ([, text]) => `unknown escape ${text} (in single quotes \\ is itself)`,
  },
];

/** Returns the syntax problems of a document, only the first at each offset. */
export function syntaxProblems(document: Document, text: string): readonly YamlProblem[] {
  const problems: YamlProblem[] = [];
  const errors = [...document.errors, ...document.warnings].sort((a, b) => a.pos[0] - b.pos[0]).slice(0, maxErrors);
  for (const error of errors) {
    const tooDeep = tooDeepLine(error, errors, text);
    if (tooDeep !== undefined) return [...problems, { offset: tooDeep, message: sameIndentation, path: [] }];
    const found = rules
      .filter(({ code }) => code === error.code)
      .map((rule) => ({ rule, match: (rule.pattern ?? /(?:)/).exec(error.message) }))
      .find(({ match }) => match !== null);
    const offset = offsetToShow(error, document, text);
    const words = found?.rule.words ?? error.message;
    const where = offset < error.pos[0] ? 'after' : 'before';
    const message = typeof words === 'string' ? words : words(found?.match ?? [], where);
    if (problems.at(-1)?.offset !== offset) problems.push({ offset, message, path: [] });
    if (found?.rule.isLast) break;
  }
  return problems;
}

/**
 * Returns the offset of a line that is indented too deeply, or undefined: a multi-line value whose next line has a
 * colon is probably followed by another key.
 */
function tooDeepLine(
  { code, pos: [offset] }: YAMLError,
  errors: readonly YAMLError[],
  text: string,
): number | undefined {
  if (code !== 'BLOCK_AS_IMPLICIT_KEY') return undefined;
  if (!errors.some((other) => other.code === 'MULTILINE_IMPLICIT_KEY' && other.pos[0] === offset)) return undefined;
  const line = text.indexOf('\n', offset);
  return line + Math.max(0, text.slice(line).search(/\S/));
}

/** Returns the offset to show for an error: the opening quote, otherwise the next visible character or the last one. */
function offsetToShow({ code, message, pos: [offset] }: YAMLError, document: Document, text: string): number {
  if (code === 'TAB_AS_INDENT') return offset;
  if (/closing ['"]quote/.test(message)) return findOpeningQuote(document, offset) ?? offset;
  const next = text.slice(offset).search(/\S/);
  return next >= 0 ? offset + next : Math.max(0, text.trimEnd().length - 1);
}

function findOpeningQuote(document: Document, before: number): number | undefined {
  let start: number | undefined;
  visit(document, {
    Scalar(_key, { type, range }) {
      const isQuoted = type === Scalar.QUOTE_DOUBLE || type === Scalar.QUOTE_SINGLE;
      if (isQuoted && range && range[0] < before) start = range[0];
    },
  });
  return start;
}

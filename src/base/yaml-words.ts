/** Says what is wrong with the syntax of a YAML text in words for people who do not know its grammar, and where to look. */
import { type Document, Scalar, visit, type YAMLError } from 'yaml';
import type { Problem } from './yaml-nodes.ts';

// Twice as many as are shown, since of several in one place only the first is.
const mostErrors = 200;
const sameIndentation = 'expected the indentation of the lines before';

/** The first rule that fits an error words it. */
const rules: readonly {
  readonly code: YAMLError['code'];
  readonly says?: RegExp;
  /** `where` is before or after the place that is shown. */
  readonly words: string | ((match: readonly string[], where: 'before' | 'after') => string);
  /** Whether what follows in the text is read wrongly, so that nothing said of it helps. */
  readonly isLast?: true;
}[] = [
  { code: 'MULTIPLE_DOCS', words: 'expected one document, and here begins a second', isLast: true },
  { code: 'TAB_AS_INDENT', words: 'tabs cannot indent YAML, use spaces', isLast: true },
  { code: 'BAD_ALIAS', words: 'text that begins with * or & needs quotes' },
  { code: 'BAD_SCALAR_START', says: /(.)$/u, words: ([, start]) => `text that begins with ${start} needs quotes` },
  {
    code: 'MISSING_CHAR',
    says: /closing ['"]quote/,
    words: 'here begins a text in quotes that never ends',
    isLast: true,
  },
  {
    code: 'MISSING_CHAR',
    says: /without - /,
    words: 'expected the indentation of the lines before, or - for an entry',
  },
  { code: 'MISSING_CHAR', says: /Missing , /, words: 'expected a comma before this' },
  {
    code: 'MISSING_CHAR',
    says: /must end with an? (.)/,
    words: ([, end], where) => `expected ${end} ${where} this`,
    isLast: true,
  },
  {
    code: 'BAD_INDENT',
    says: /must .* end with an? (.)/,
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
    says: /at node end/,
    words: 'expected nothing behind the value: quotes go around all of it',
  },
  { code: 'UNEXPECTED_TOKEN', says: /in YAML stream: (.*)/, words: ([, token]) => `unexpected ${token}` },
  {
    code: 'TAG_RESOLVE_FAILED',
    says: /: (.*)/,
    words: ([, tag]) => `unknown tag ${tag} (text that begins with ! needs quotes)`,
  },
  {
    code: 'BAD_DQ_ESCAPE',
    says: /sequence (.*)/,
    words: ([, text]) => `unknown escape ${text} (in single quotes \\ is itself)`,
  },
];

/** The problems of a document's syntax, of those in one place the first. */
export function syntaxProblems(document: Document, text: string): readonly Problem[] {
  const problems: Problem[] = [];
  const errors = [...document.errors, ...document.warnings].sort((a, b) => a.pos[0] - b.pos[0]).slice(0, mostErrors);
  for (const error of errors) {
    const deeper = deeperLine(error, errors, text);
    if (deeper !== undefined) return [...problems, { offset: deeper, message: sameIndentation, path: [] }];
    const found = rules
      .filter(({ code }) => code === error.code)
      .map((rule) => ({ rule, match: (rule.says ?? /(?:)/).exec(error.message) }))
      .find(({ match }) => match !== null);
    const offset = placeOf(error, document, text);
    const words = found?.rule.words ?? error.message;
    const where = offset < error.pos[0] ? 'after' : 'before';
    const message = typeof words === 'string' ? words : words(found?.match ?? [], where);
    if (problems.at(-1)?.offset !== offset) problems.push({ offset, message, path: [] });
    if (found?.rule.isLast) break;
  }
  return problems;
}

/** A value that goes on in a line with a colon: that line was to be another key, and is indented too deeply. */
function deeperLine(
  { code, pos: [offset] }: YAMLError,
  errors: readonly YAMLError[],
  text: string,
): number | undefined {
  if (code !== 'BLOCK_AS_IMPLICIT_KEY') return undefined;
  if (!errors.some((other) => other.code === 'MULTILINE_IMPLICIT_KEY' && other.pos[0] === offset)) return undefined;
  const line = text.indexOf('\n', offset);
  return line + Math.max(0, text.slice(line).search(/\S/));
}

/** Where people should look: at the quote that was opened, else at the next thing there is, at the last one at the end. */
function placeOf({ code, message, pos: [offset] }: YAMLError, document: Document, text: string): number {
  if (code === 'TAB_AS_INDENT') return offset;
  if (/closing ['"]quote/.test(message)) return openedQuote(document, offset) ?? offset;
  const next = text.slice(offset).search(/\S/);
  return next >= 0 ? offset + next : Math.max(0, text.trimEnd().length - 1);
}

function openedQuote(document: Document, before: number): number | undefined {
  let start: number | undefined;
  visit(document, {
    Scalar(_key, { type, range }) {
      const isQuoted = type === Scalar.QUOTE_DOUBLE || type === Scalar.QUOTE_SINGLE;
      if (isQuoted && range && range[0] < before) start = range[0];
    },
  });
  return start;
}

/** Describes the syntax errors of a YAML text, and locates them. */
import { type Document, Scalar, visit, type YAMLError } from 'yaml';
import type { YamlProblem } from './yaml-nodes.ts';

// Twice the number that is shown, because only the first error at each offset is reported.
const maxErrors = 200;

/** Messages that replace those of the parser; the first pattern that matches `CODE message` applies. */
const messages: readonly (readonly [pattern: RegExp, message: string])[] = [
  [/^MULTIPLE_DOCS/, 'expected one document, got a second'],
  [/^TAB_AS_INDENT/, 'tabs cannot indent YAML, use spaces'],
  [/^BAD_ALIAS/, 'put text that begins with * or & in quotes'],
  [/^BAD_SCALAR_START/, 'put text that begins with this character in quotes'],
  [/^TAG_RESOLVE_FAILED/, 'unknown tag: put text that begins with ! in quotes'],
  [/^BAD_DIRECTIVE/, 'unknown directive: put text that begins with % in quotes'],
  [/^BAD_DQ_ESCAPE/, 'invalid escape sequence: in single quotes, \\ is an ordinary character'],
  [/^BLOCK_AS_IMPLICIT_KEY/, 'put text that contains ": " in quotes, and indent all keys of a mapping equally'],
  [/^MULTILINE_IMPLICIT_KEY/, 'expected the indentation of the lines before'],
  [/^BLOCK_IN_FLOW/, 'missing comma before this, or missing quotes around text that contains ": "'],
  [/^MISSING_CHAR Missing ,/, 'missing comma before this'],
  [/^MISSING_CHAR .*quote$/, 'this quotation mark is never closed'],
  [/^MISSING_CHAR .*without - /, 'expected the indentation of the lines before, or - for an entry'],
  [/ end with a \}$/, 'missing } at this position'],
  [/ end with a \]$/, 'missing ] at this position'],
  [/^BAD_INDENT/, 'expected the indentation of the lines before'],
  [/^UNEXPECTED_TOKEN .*at node end/, 'unexpected text after the value: put all of it in quotes'],
  [/^UNEXPECTED_TOKEN .*in YAML stream/, 'unexpected character'],
];

/** Errors that cause most of the errors after them, which are not reported. */
const lastErrors =
  /^(BAD_DIRECTIVE|MULTIPLE_DOCS|MULTILINE_IMPLICIT_KEY|TAB_AS_INDENT|MISSING_CHAR Missing closing|.* end with a [}\]]$)/;

/** Returns the syntax problems of a document, only the first at each offset. */
export function syntaxProblems(document: Document, text: string): readonly YamlProblem[] {
  const problems: YamlProblem[] = [];
  const errors = [...document.errors, ...document.warnings].sort(byOffset).slice(0, maxErrors);
  for (const error of errors) {
    const found = `${error.code} ${error.message}`;
    const message = messages.find(([pattern]) => pattern.test(found))?.[1] ?? error.message;
    const offset = offsetToShow(error, document, text);
    if (problems.at(-1)?.offset !== offset) problems.push({ offset, message, path: [] });
    if (lastErrors.test(found)) break;
  }
  return problems;
}

/** The code decides at the same offset, because BLOCK_AS_IMPLICIT_KEY is a consequence of MULTILINE_IMPLICIT_KEY. */
function byOffset(a: YAMLError, b: YAMLError): number {
  return a.pos[0] - b.pos[0] || b.code.localeCompare(a.code);
}

/** Returns the offset to show for an error: the opening quote, otherwise the next visible character or the last one. */
function offsetToShow({ code, message, pos: [offset] }: YAMLError, document: Document, text: string): number {
  if (code === 'TAB_AS_INDENT') return offset;
  if (/closing ['"]quote/.test(message)) return findOpeningQuote(document, offset) ?? offset;
  // The key that begins on this line ends on the next one, which is indented too deeply.
  const start = code === 'MULTILINE_IMPLICIT_KEY' ? text.indexOf('\n', offset) : offset;
  const next = text.slice(start).search(/\S/);
  return next >= 0 ? start + next : Math.max(0, text.trimEnd().length - 1);
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

/** Explains why a text is not JSON, and finds JSON that parsers read differently. */
import { toPointer } from '../lib/pointer.ts';
import { maxViolations, type Problem, type Violation, withCause } from '../lib/problem.ts';
import { quote } from '../openapi/explain.ts';
import { namesSecret } from './redact.ts';

/** Maximum length searched for a mistake, in characters. */
const maxSearched = 1_000_000;

/** Words of JSON, of which a body that is cut off may have the beginning. */
const words = ['true', 'false', 'null'];

/** Explanations by the names of jsonc-parser's errors. */
const explanations: Readonly<Record<string, string>> = {
  InvalidSymbol: 'unknown word or symbol (names and texts need double quotes)',
  PropertyNameExpected: 'expected a name in double quotes (the last field has no comma after it)',
  ValueExpected: 'expected a value (the last entry has no comma after it)',
  ColonExpected: 'expected ":" after a name',
  CommaExpected: 'expected ","',
  CloseBraceExpected: 'expected "}"',
  CloseBracketExpected: 'expected "]"',
  EndOfFileExpected: 'expected nothing after the value',
  InvalidCommentToken: 'comments are not allowed',
  UnexpectedEndOfString: 'a text has no closing quote on its line (write a line break as \\n)',
  UnexpectedEndOfNumber: 'expected a digit',
  InvalidUnicode: 'expected four hexadecimal digits after \\u',
  InvalidEscapeCharacter: 'expected one of " \\ / b f n r t u after \\',
  InvalidCharacter: 'control characters must be escaped',
};

/** Explains why a body is not JSON. */
export async function locateMistake(text: string): Promise<Problem> {
  const { reason, offset } = await findJsonMistake(text);
  return { kind: 'invalid', message: `the body is ${reason}${offset === undefined ? '' : toPlace(text, offset)}` };
}

/**
 * Finds the first mistake, without quoting the text. V8's own message is not used: it quotes the text and differs by version.
 * `offset`: its position, if the text goes on there.
 */
export async function findJsonMistake(text: string): Promise<{ readonly reason: string; readonly offset?: number }> {
  const { parse, printParseErrorCode } = await import('jsonc-parser');
  const searched = text.slice(0, maxSearched);
  const found: { error: number; offset: number; length: number }[] = [];
  try {
    parse(searched, found as never, { disallowComments: true });
  } catch (error) {
    // The parser is recursive, so some thousand nested levels overflow its stack.
    if (!(error instanceof RangeError)) throw error;
    return { reason: 'not JSON, and is nested too deep to find the mistake' };
  }
  const [first] = found;
  // A mistake at the end of the searched part may be caused by cutting the text there.
  if (!first || (searched.length < text.length && first.offset + first.length >= searched.length))
    return { reason: 'not JSON' };
  const lines = text.slice(0, first.offset).split('\n');
  const at = `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
  const name = printParseErrorCode(first.error);
  const isInText = name === 'UnexpectedEndOfString';
  const rest = text.slice(first.offset).trimEnd();
  if (isInText ? first.length >= rest.length : words.some((word) => word.startsWith(rest))) {
    const where = isInText ? `inside the text that begins at ${at}` : `at ${at}, before it is complete`;
    return { reason: `not JSON: it ends ${where}; it may be cut off` };
  }
  return { reason: `not JSON: ${explanations[name] ?? 'mistake'} at ${at}`, offset: first.offset };
}

/** Shows the text around a mistake in a long line, unless the body may hold a secret. */
function toPlace(text: string, offset: number): string {
  const from = Math.max(text.lastIndexOf('\n', offset) + 1, offset - 30);
  if (offset - from < 30 || namesSecret(text, false)) return '';
  return `, after ${quote(text.slice(from, offset))}`;
}

/** Finds fields with the same name in an object, integers that lose digits, and numbers that become infinite. */
export async function findAmbiguities(json: string): Promise<readonly Violation[]> {
  const { visit } = await import('jsonc-parser');
  const found: Violation[] = [];
  const add = (path: readonly (string | number)[], message: string) =>
    found.push(withCause('ambiguous', toPointer(path), message));
  const names: Set<string>[] = [];
  try {
    visit(json, {
      onObjectBegin: () => {
        names.push(new Set());
      },
      onObjectEnd: () => {
        names.pop();
      },
      onObjectProperty: (name, _offset, _length, _line, _character, pathSupplier) => {
        const seen = names.at(-1);
        if (seen?.has(name))
          add([...pathSupplier(), name], 'the field appears twice in its object; the last one counts');
        seen?.add(name);
      },
      onLiteralValue: (value, offset, length, _line, _character, pathSupplier) => {
        const written = json.slice(offset, offset + length);
        if (/^-?\d+$/.test(written) && !Number.isSafeInteger(value) && String(value) !== written)
          add(pathSupplier(), 'the integer is beyond 2^53, where parsers lose digits; send it as a text');
        if (typeof value === 'number' && !Number.isFinite(value))
          add(pathSupplier(), 'the number is beyond 1.8e308, the largest that parsers know; it is stored as null');
      },
    });
  } catch (error) {
    // The parser is recursive; so deep a body is rejected anyway.
    if (!(error instanceof RangeError)) throw error;
  }
  return found.slice(0, maxViolations);
}

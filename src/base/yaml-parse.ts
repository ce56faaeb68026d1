/** Parses a YAML text, and stops where it is nested too deeply: the parser's own recursion could end the process. */
import { Composer, type CST, type Document, Lexer, type LineCounter, Parser, YAMLParseError } from 'yaml';

/** The document of a text, or where it goes too deep to be read. */
export type ParsedText = { readonly document: Document } | { readonly tooDeepAt: number };

// Somewhat more than checkNodes allows, which can say it better.
const mostOpen = 250;
// Each error is an object with a stack: what is wrong everywhere is not read to its end.
const mostErrors = 200;

// The fixed schema keeps a %YAML directive or a tag from making dates, sets and buffers; the parser's check for equal
// keys compares each with each, checkNodes is linear.
const options = {
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  uniqueKeys: false,
  prettyErrors: false,
} as const;

/** Parses the first document of a text; that there is a second is one of its errors. */
export function parseBounded(text: string, lines: LineCounter): ParsedText {
  const tokens: CST.Token[] = [];
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let errors = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      tokens.push(token);
      if (token.type === 'error') errors += 1;
    }
    if (errors > mostErrors) break;
    if (parser.stack.length > mostOpen) return { tooDeepAt: Math.min(parser.offset, text.length - 1) };
  }
  for (const token of parser.end()) tokens.push(token);
  const composed = new Composer(options).compose(tokens, true, text.length);
  const first = composed.next().value as Document.Parsed;
  const second = composed.next().value as Document.Parsed | undefined;
  if (second) {
    const [from, to] = second.range;
    first.errors.push(new YAMLParseError([from, to], 'MULTIPLE_DOCS', 'expected one document'));
  }
  return { document: first };
}

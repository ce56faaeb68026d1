/** Parses a YAML text. Stops if it is nested too deeply, because the recursion of the parser could end the process. */
import { Composer, type CST, type Document, Lexer, type LineCounter, Parser, YAMLParseError } from 'yaml';

/** The document of a text, or the offset at which it is nested too deeply. */
export type ParsedText = { readonly document: Document } | { readonly tooDeepAt: number };

// Somewhat more than the limit of checkNodes, whose message is better.
const maxOpen = 250;
// Each error is an object with a stack, so parsing stops after this number of errors.
const maxErrors = 200;

// The fixed schema prevents a %YAML directive or a tag from creating dates, sets and buffers. The duplicate key check
// of the parser takes quadratic time; that of checkNodes is linear.
const options = {
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  uniqueKeys: false,
  prettyErrors: false,
} as const;

/** Parses the first document of a text. A second document adds an error to the first. */
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
    if (errors > maxErrors) break;
    if (parser.stack.length > maxOpen) return { tooDeepAt: Math.min(parser.offset, text.length - 1) };
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

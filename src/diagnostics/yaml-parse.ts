/** Parses a YAML text. Stops if it is nested too deeply, because the recursion of the parser could end the process. */
import { Composer, type CST, type Document, Lexer, Parser, YAMLParseError } from 'yaml';

// Somewhat more than the limit of checkNodes, which knows the position better.
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

/**
 * Parses the first document of a text, or returns the offset at which it is nested too deeply. A second document adds
 * an error to the first.
 */
export function parseBounded(text: string): { readonly document: Document } | { readonly tooDeepAt: number } {
  const tokens: CST.Token[] = [];
  const parser = new Parser();
  let errors = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      tokens.push(token);
      if (token.type === 'error') errors += 1;
    }
    if (errors > maxErrors) break;
    if (parser.stack.length > maxOpen) return { tooDeepAt: Math.min(parser.offset, text.length - 1) };
  }
  tokens.push(...parser.end());
  const composed = new Composer(options).compose(tokens, true, text.length);
  const document = composed.next().value as Document.Parsed;
  const second = composed.next().value as Document.Parsed | undefined;
  if (second) document.errors.push(new YAMLParseError([second.range[0], second.range[1]], 'MULTIPLE_DOCS', ''));
  return { document };
}

/** Parses a YAML text. Stops if it is nested too deeply, because the recursion of the parser could end the process. */
import { Composer, type CST, Document, Lexer, Parser, YAMLParseError, type YAMLWarning } from 'yaml';
import type { Steps } from '../lib/slices.ts';
import { tooManyLevels } from './yaml-nodes.ts';

// Somewhat more than the limit of checkNodes, which knows the position better.
const maxOpen = 250;
// Each error is an object with a stack, so parsing stops after this number of errors.
const maxErrors = 200;
const lexemesPerStep = 500;
// The largest text of the shortest rules has 190,000; composing more would hold the event loop for too long.
const maxLexemes = 200_000;

// The fixed schema prevents a %YAML directive or a tag from creating dates, sets and buffers. The duplicate key check
// of the parser takes quadratic time; that of checkNodes is linear.
const options = {
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  uniqueKeys: false,
  prettyErrors: false,
} as const;

interface Reporter {
  readonly errors: readonly YAMLParseError[];
  readonly warnings: readonly YAMLWarning[];
  readonly onError: (...error: readonly unknown[]) => void;
}

const tooManyTokens = (): string => `expected at most ${maxLexemes.toLocaleString('en')} values, keys and signs`;
const tooManyErrors = new Error('too many errors');

/** A document, or the offset at which there is too much. */
export type Parsed = { readonly document: Document } | { readonly offset: number; readonly limit: string };

/** Parses the first document of a text. A second document adds an error to the first. */
export function* parseBounded(text: string): Steps<Parsed> {
  const tokens: CST.Token[] = [];
  const parser = new Parser();
  let errors = 0;
  let lexemes = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      tokens.push(token);
      if (token.type === 'error') errors += 1;
    }
    if (errors > maxErrors) break;
    const offset = Math.min(parser.offset, text.length - 1);
    if (parser.stack.length > maxOpen) return { offset, limit: tooManyLevels };
    lexemes += 1;
    if (lexemes > maxLexemes) return { offset, limit: tooManyTokens() };
    if (lexemes % lexemesPerStep === 0) yield;
  }
  tokens.push(...parser.end());
  yield;
  return { document: compose(tokens, text.length) };
}

/** Composes the nodes of the first document. After too many errors, returns a document that has only these. */
function compose(tokens: readonly CST.Token[], length: number): Document {
  const composer = new Composer(options);
  // Private in its types: each comma of `[,,,` and each `%` at a start is an error with a stack, without a limit.
  const { onError, errors, warnings } = composer as unknown as Reporter;
  const report: Reporter['onError'] = (...error) => {
    if (errors.length + warnings.length > maxErrors) throw tooManyErrors;
    onError(...error);
  };
  Object.assign(composer, { onError: report });
  try {
    const composed = composer.compose(tokens, true, length);
    const document = composed.next().value as Document.Parsed;
    const second = composed.next().value as Document.Parsed | undefined;
    if (second) document.errors.push(new YAMLParseError([second.range[0], second.range[1]], 'MULTIPLE_DOCS', ''));
    return document;
  } catch (error) {
    if (error !== tooManyErrors) throw error;
    const document = new Document();
    document.errors.push(...errors);
    document.warnings.push(...warnings);
    return document;
  }
}

/** JSON as the lines and tokens in which it was written. */
import { readJson } from './format.ts';

/** Returns the tokens of JSON: numbers as they were written, and texts with the escapes that they need. */
export function jsonTokens(text: string): readonly string[] {
  const tokens = text.match(/"(?:[^"\\]+|\\.)*"|[[\]{}:,]|[^\s[\]{}:,"]+/g) ?? [];
  return tokens.map((token) => (token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : token));
}

interface Line {
  /** JSON Pointer of the value that starts on this line. */
  readonly path: string;
  /** The indent, and the tokens. */
  readonly parts: string[];
}

/** An object or a list that is open. */
interface Level {
  readonly path: string;
  readonly isList: boolean;
  /** Number of items that the list has so far. */
  count: number;
}

/** Bodies that nest more are refused, and would be wider than any screen. */
const maxLevels = 100;

/**
 * Lays out JSON with one value per line; returns no lines of another text. Parsing it would round long numbers, and drop a
 * field that appears twice.
 */
export function toLines(text: string): readonly Line[] {
  if (readJson(text) === undefined) return [];
  const lines: Line[] = [];
  const levels: Level[] = [];
  let line: Line = { path: '', parts: [''] };
  const tokens = jsonTokens(text);
  for (const [at, token] of tokens.entries()) {
    const path = at === 0 ? '' : pathAt(tokens, at, levels.at(-1));
    if (/^[\]}]$/.test(token)) levels.pop();
    if (path !== undefined) {
      line = { path, parts: ['  '.repeat(levels.length)] };
      lines.push(line);
    }
    line.parts.push(token === ':' ? ': ' : token);
    if (token === '{' || token === '[') levels.push({ path: line.path, isList: token === '[', count: 0 });
    if (levels.length > maxLevels) return [];
  }
  return lines;
}

/** Returns the path of the line that a token begins; undefined if the line before goes on. */
function pathAt(tokens: readonly string[], at: number, level: Level | undefined): string | undefined {
  const { [at]: token = '', [at - 1]: before = '', [at + 1]: next } = tokens;
  if (/^[\]}]$/.test(token)) return /^[[{]$/.test(before) ? undefined : '(end)';
  if (next === ':') return `${level?.path}/${JSON.parse(token).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  if (!level?.isList || token === ',') return undefined;
  level.count += 1;
  return `${level.path}/${level.count - 1}`;
}

/** Returns JSON with one value per line, and another text as it is. */
export function indentedJson(text: string): string {
  const lines = toLines(text);
  return lines.length === 0 ? text : lines.map(({ parts }) => parts.join('')).join('\n');
}

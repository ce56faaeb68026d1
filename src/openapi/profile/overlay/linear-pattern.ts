/**
 * Compiles patterns of overlays so that matching takes linear time: V8 takes exponential time for `^(a+)+$`. RE2 has no
 * lookahead, but rules of passwords need it at their start, so `^(?=A)(?!B)C` is matched as its three parts.
 */
import { RE2JS } from 're2js';
import type { Json } from '../../../lib/json.ts';
import type { ApiDocument } from '../../api-document.ts';
import { valueKeys } from '../../close-objects.ts';
import { setPatternCompiler } from '../../pattern.ts';

/** Returns a function that tests whether a pattern matches anywhere in a text. Throws if RE2 does not support the pattern. */
export function compileLinear(pattern: string): (text: string) => boolean {
  const parts: { readonly expression: RE2JS; readonly isExpected: boolean }[] = [];
  let rest = pattern;
  for (let head = /^\^\(\?([=!])/.exec(rest); head; head = /^\^\(\?([=!])/.exec(rest)) {
    const end = findOutside(rest, head[0].length, ')');
    if (end < 0) throw new SyntaxError('missing )');
    parts.push({ expression: compile(`^(?:${rest.slice(head[0].length, end)})`), isExpected: head[1] === '=' });
    rest = `^${rest.slice(end + 1)}`;
  }
  if (parts.length > 0 && (/^\^[*+?{]/.test(rest) || findOutside(rest, 0, '|') >= 0)) {
    throw new SyntaxError('a lookahead must be for the whole pattern: expected (?:A|B) instead of A|B after it');
  }
  parts.push({ expression: compile(rest), isExpected: true });
  return (text) => parts.every(({ expression, isExpected }) => expression.test(text) === isExpected);
}

function compile(pattern: string): RE2JS {
  return RE2JS.compile(RE2JS.translateRegExp(pattern));
}

/** Returns the index of a character from `start` that is in no other group and in no class; -1 if there is none. */
function findOutside(pattern: string, start: number, character: ')' | '|'): number {
  const tokens = /\\.|\[(?:\\.|[^\]\\])*\]|[()|]/gsu;
  tokens.lastIndex = start;
  let open = 0;
  for (let token = tokens.exec(pattern); token; token = tokens.exec(pattern)) {
    if (open === 0 && token[0] === character) return token.index;
    if (token[0] === '(') open += 1;
    if (token[0] === ')') open -= 1;
  }
  return -1;
}

/** Yields the patterns of a schema, or of a document. `areFields`: its keys are names of fields, which may equal a keyword. */
export function* patternsIn(schema: unknown, areFields = false): Generator<string> {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [key, inner] of Object.entries(schema)) {
    if (!areFields && valueKeys.has(key)) continue;
    if (key === 'patternProperties') yield* Object.keys(inner as Json);
    if (key === 'pattern' && typeof inner === 'string') yield inner;
    yield* patternsIn(inner, key === 'properties' && !areFields);
  }
}

/** Has validators match all patterns but those of the API document itself in linear time. */
export function useLinearPatterns(source: ApiDocument): void {
  const own = new Set(patternsIn(source));
  setPatternCompiler((pattern) => (own.has(pattern) ? undefined : compileLinear(pattern)));
}

/** Measures the sentences of a page: no code, tables, headings, comments or link targets. */
import { readFileSync } from 'node:fs';

/** Returns the average number of words per sentence. A list item or paragraph ends a sentence. */
export function wordsPerSentence(page: string): number {
  const prose = readFileSync(page, 'utf8')
    .replace(/^```[\s\S]*?^```$/gm, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/^(#.*|\|.*|!\[.*)$/gm, '')
    .replace(/`[^`]*`/g, 'code')
    .replace(/\]\([^)]*\)/g, ']');
  const sentences = prose
    .split(/\n\n+|\n(?=\s*(?:[-*]|\d+\.) )|(?<=[.!?])\s+/)
    .map((sentence) => sentence.match(/[\p{L}\d][\p{L}\d'’-]*/gu)?.length ?? 0)
    .filter((words) => words > 0);
  return sentences.reduce((sum, words) => sum + words, 0) / Math.max(1, sentences.length);
}

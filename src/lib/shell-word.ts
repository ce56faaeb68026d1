/** Quotes words of shell commands that users copy. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for control characters
const controlCharacters = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g;

/**
 * Quotes a word. Control characters could send commands to the terminal, so they are escaped as `$'…'`, which is not
 * part of POSIX.
 */
export function quoteWord(text: string): string {
  if (text.search(controlCharacters) < 0) return `'${text.replaceAll("'", "'\\''")}'`;
  const escaped = text.replace(/[\\']/g, '\\$&').replace(controlCharacters, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `$'${escaped}'`;
}

/** Quotes a word if it has characters with a meaning in shells. */
export function toWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : quoteWord(text);
}

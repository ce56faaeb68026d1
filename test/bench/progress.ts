/** Shows the progress on stderr: one changing line in a terminal, otherwise a line each. */

export interface Progress {
  /** Shows a text in place of the last one. */
  say(text: string): void;
  /** Removes the text before the table is written. */
  clear(): void;
}

export function createProgress(out: NodeJS.WriteStream): Progress {
  const begin = out.isTTY ? '\r\u001b[2K' : '';
  const end = out.isTTY ? '' : '\n';
  return {
    say: (text) => void out.write(`${begin}${text.slice(0, out.isTTY ? out.columns - 1 : undefined)}${end}`),
    clear: () => void out.write(begin),
  };
}

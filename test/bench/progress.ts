/** Tells a person what is going on, on stderr: one line that changes in a terminal, else a line each. */

/** What is told, and that it is not to be seen any more. */
export interface Progress {
  /** What is happening now; the next takes its place. */
  say(text: string): void;
  /** Something that is to stay. */
  warn(text: string): void;
  /** Makes room for the table. */
  clear(): void;
}

export function createProgress(out: NodeJS.WriteStream): Progress {
  const begin = out.isTTY ? '\r\u001b[2K' : '';
  const end = out.isTTY ? '' : '\n';
  return {
    say: (text) => void out.write(`${begin}${text.slice(0, out.isTTY ? out.columns - 1 : undefined)}${end}`),
    warn: (text) => void out.write(`${begin}${text}\n`),
    clear: () => void out.write(begin),
  };
}

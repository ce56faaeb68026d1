/** Reads a page of documentation as a list of code blocks, in their order. */
import { readFileSync } from 'node:fs';

export interface Block {
  /** Where the block is, such as `docs/index.md:12`. */
  readonly at: string;
  /** `sh` for commands, `text` or `json` for their output, or the language of a file. */
  readonly language: string;
  readonly text: string;
  /** File name that the line before the block gives: `` `check.yaml`: ``. */
  readonly file: string | undefined;
  /** Test file that a comment before the block names: `<!-- tested by: test/x.test.ts -->`. */
  readonly testedBy: string | undefined;
}

const fence = /^```(\w*)\n([\s\S]*?)^```$/gm;

export function readBlocks(page: string): readonly Block[] {
  const text = readFileSync(page, 'utf8');
  return [...text.matchAll(fence)].map((match) => {
    const before = text.slice(0, match.index);
    const last = before.trimEnd().split(/\n\n/).at(-1) ?? '';
    const comment = /<!-- (.*) -->\s*$/.exec(last)?.[1];
    const sentence = comment === undefined ? last : (before.trimEnd().split(/\n\n/).at(-2) ?? '');
    const language = match[1] ?? '';
    return {
      at: `${page}:${before.split('\n').length}`,
      language,
      text: match[2] ?? '',
      // Commands are always run, also after a sentence that ends with the name of a file.
      file: language === 'sh' ? undefined : /`([\w./-]+\.\w+)`[^`]*:$/.exec(sentence.trim())?.[1],
      testedBy: /^tested by: (\S+)$/.exec(comment ?? '')?.[1],
    };
  });
}

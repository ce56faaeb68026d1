/** Implements a box of a project's state by lines in the database: a whole one, then lines with its changes. */
import type { Codec, FileBox } from '../../project/persistence/file-box.ts';
import type { ProjectState } from '../../project/state.ts';
import type { ProjectWrite } from '../database/cluster-database.ts';

/** Where the next line goes. */
export interface Position {
  readonly epoch: number;
  seq: number;
}

interface Parts extends Codec<ProjectState> {
  readonly project: string;
  readonly position: Position;
  /** Takes the tokens of the requests since the last call, and returns a function that puts them back. */
  readonly tokens: TokenList;
  isDue(): boolean;
  write(line: ProjectWrite): Promise<void>;
  /** Returns the number of the last line, after a write whose result is unknown. */
  findSeq(): Promise<number>;
}

/** Maximum length of the lines after a whole one, in characters, unless that is longer. */
const minLogLength = 256 * 1024;

export function createRowBox(parts: Parts): FileBox<ProjectState> {
  const { project, position, tokens, isDue, toText, toLines, write } = parts;
  /** The whole line that others can follow. Undefined if there is none. */
  let whole: { readonly length: number; changesLength: number } | undefined;
  let isSeqKnown = true;

  async function put(kind: ProjectWrite['kind'], text: string, written: readonly string[]): Promise<void> {
    const due = isDue();
    if (!isSeqKnown) position.seq = await parts.findSeq();
    isSeqKnown = false;
    const seq = position.seq + 1;
    await write({ project, epoch: position.epoch, seq, kind, text, tokens: written, isDue: due });
    position.seq = seq;
    isSeqKnown = true;
  }

  async function writeState(state: ProjectState): Promise<void> {
    const before = whole;
    const mayFollow = before && before.changesLength < Math.max(before.length, minLogLength);
    const changes = mayFollow ? toLines(state) : undefined;
    // Until the write has succeeded, the next one must be whole.
    whole = undefined;
    if (before && changes !== undefined) {
      const text = [...changes].join('');
      await tokens.writing('new', (written) => put('changes', text, written));
      before.changesLength += text.length;
      whole = before;
      return;
    }
    const text = [...toText(state)].join('');
    // It replaces the lines with the tokens of earlier requests.
    await tokens.writing('recent', (written) => put('whole', text, written));
    whole = { length: text.length, changesLength: 0 };
  }

  return {
    load: () => undefined,
    read: async () => null,
    write: writeState,
    remove: async () => {
      whole = undefined;
      await put('removal', '', []);
    },
  };
}

/** The tokens of the requests whose effects a project has. */
export interface TokenList {
  /** Adds the token of a request with its effect. */
  add(token: string): void;
  has(token: string): boolean;
  /** Calls `write` with the tokens since the last write, or with all recent ones. They stay new if it fails. */
  writing(which: 'new' | 'recent', write: (tokens: readonly string[]) => Promise<void>): Promise<void>;
}

/** Maximum number of tokens of a project that are kept: a replica asks for one within seconds. */
const maxTokens = 1000;

export function createTokenList(stored: readonly string[]): TokenList {
  let recent = stored.slice(-maxTokens);
  let added: string[] = [];
  return {
    add: (token) => void added.push(token),
    has: (token) => added.includes(token) || recent.includes(token),
    writing: async (which, write) => {
      const taken = added;
      added = [];
      recent = [...recent, ...taken].slice(-maxTokens);
      try {
        await write(which === 'new' ? taken : recent);
      } catch (error) {
        added = [...taken, ...added];
        throw error;
      }
    },
  };
}

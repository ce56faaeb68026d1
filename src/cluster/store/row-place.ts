/** Stores a project as rows of the database: a whole one, then rows with its changes. */
import type { LogPlace } from '../../project/persistence/project-log.ts';
import type { ProjectWrite } from '../database/cluster-database.ts';

/** Where the next row goes. */
export interface Position {
  readonly epoch: number;
  seq: number;
}

interface Parts {
  readonly project: string;
  readonly position: Position;
  /** The tokens of the requests that are written. */
  readonly tokens: TokenList;
  isDue(): boolean;
  write(line: ProjectWrite): Promise<void>;
  /** Returns the number of the last row, after a write whose result is unknown. */
  findSeq(): Promise<number>;
}

export function createRowPlace({ project, position, tokens, isDue, write, findSeq }: Parts): LogPlace {
  let isSeqKnown = true;

  async function put(kind: ProjectWrite['kind'], text: string, written: readonly string[]): Promise<void> {
    const due = isDue();
    if (!isSeqKnown) position.seq = await findSeq();
    isSeqKnown = false;
    const seq = position.seq + 1;
    await write({ project, epoch: position.epoch, seq, kind, text, tokens: written, isDue: due });
    position.seq = seq;
    isSeqKnown = true;
  }

  return {
    name: `project ${JSON.stringify(project)} in the database`,
    replace: async (text) => {
      const whole = [...text].join('');
      // It replaces the rows with the tokens of earlier requests.
      await tokens.writing('recent', (written) => put('whole', whole, written));
      return true;
    },
    append: async (text) => {
      const changes = [...text].join('');
      await tokens.writing('new', (written) => put('changes', changes, written));
      return true;
    },
    remove: () => put('removal', '', []),
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

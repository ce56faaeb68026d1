/** Stores the results of rules for a request in compact form: the journal keeps them, and scenarios can be large. */

/** The condition that a rule failed, or its result if it failed none. In the order of evaluation. */
export const noteCodes = [
  'operation',
  'project',
  'subproject',
  'where',
  'item',
  'during',
  'opening',
  'request',
  'times',
  'chance',
  'outdone',
  'idle',
  'planned',
  'fired',
] as const;
export type NoteCode = (typeof noteCodes)[number];

export interface Note {
  readonly code: NoteCode;
  /** The value that the deciding condition saw: a number or a text. */
  readonly saw: unknown;
  /** Describes the values of the first entries that did not match. */
  readonly had?: readonly string[];
  /** Whether the contract had rejected the requested entry; rules do not see rejected entries. */
  readonly wasRefused?: boolean;
  /** Index of the deciding field in the rule's `where`. */
  readonly field?: number;
}

/** Consecutive rules of a set with the same note. */
export interface NoteRun {
  /** Index of the first rule. */
  readonly first: number;
  readonly count: number;
  readonly note: Note;
}

export interface NoteTaker {
  readonly runs: readonly NoteRun[];
  /** Adds the note of a rule by its index in the set. Indexes must ascend. */
  add(index: number, note: Note): void;
  /** Memory use of the runs, in bytes. */
  size(): number;
}

// Bytes, measured on Node 20 and rounded up.
const runSize = 64;
const noteSize = 160;
const textSize = 32;

export function createNoteTaker(): NoteTaker {
  const runs: { first: number; count: number; note: Note }[] = [];
  // Equal notes are stored once. The map is created with the second note, because most requests match few rules.
  let notesByKey: Map<string, Note> | undefined;

  function share(note: Note): Note {
    const last = runs.at(-1)?.note;
    if (!last) return note;
    notesByKey ??= new Map([[toKey(last), last]]);
    const key = toKey(note);
    const existing = notesByKey.get(key);
    if (!existing) notesByKey.set(key, note);
    return existing ?? note;
  }

  return {
    runs,
    add: (index, note) => {
      const shared = share(note);
      const last = runs.at(-1);
      if (last && last.note === shared && last.first + last.count === index) last.count += 1;
      else runs.push({ first: index, count: 1, note: shared });
    },
    size: () => {
      const notes = new Set(runs.map(({ note }) => note));
      let size = runs.length * runSize;
      for (const { saw, had = [] } of notes) {
        size += noteSize;
        for (const text of [...had, saw]) if (typeof text === 'string') size += textSize + 2 * text.length;
      }
      return size;
    },
  };
}

function toKey({ code, saw, had, wasRefused, field }: Note): string {
  return `${code}\n${saw}\n${wasRefused}\n${field}\n${had?.join('\n')}`;
}

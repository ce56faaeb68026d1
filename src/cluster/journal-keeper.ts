/** Writes the journals of this replica's projects to the database, at most a second later, and reads those it claims. */
import type { Coverage } from '../coverage/coverage.ts';
import type { JournalItem } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { fromItemText, toItemText } from '../journal/stored-entry.ts';
import type { WallClock } from '../lib/time.ts';
import type { ClusterDatabase, JournalLine, OldestLine } from './database/cluster-database.ts';

export interface JournalKeeper {
  /** Adds the journal of a claimed project to the one in memory. */
  load(project: string): Promise<void>;
  /** Writes what is not written yet. */
  flush(): Promise<void>;
  /** Forgets what is not written yet of a project that was reset or lost. */
  discard(project: string): void;
}

interface Parts {
  readonly journal: Journal;
  readonly coverage: Pick<Coverage, 'request'>;
  readonly database: Pick<ClusterDatabase, 'writeJournal' | 'readJournal'>;
  readonly wall: WallClock;
  /** Returns the epoch of a project; undefined if another replica owns it. */
  epochOf(project: string): number | undefined;
  reportError(error: unknown): void;
}

const delayMs = 500;
/** Maximum length of one statement, in characters. */
const maxLength = 4_000_000;

/** What is to be written of one project. */
interface Unwritten {
  readonly epoch: number;
  readonly items: Map<number, JournalItem>;
}

export function createJournalKeeper(parts: Parts): JournalKeeper {
  const { journal, coverage, database, wall, epochOf, reportError } = parts;
  let unwritten = new Map<string, Unwritten>();
  /** Up to where journals in the database were trimmed. */
  const trimmed = new Map<string, OldestLine>();
  let cancelTimer: (() => void) | undefined;
  let writing: Promise<void> = Promise.resolve();
  journal.onStored((project, item) => {
    const epoch = epochOf(project);
    if (epoch === undefined) return;
    const known = unwritten.get(project);
    const target = known?.epoch === epoch ? known : { epoch, items: new Map<number, JournalItem>() };
    target.items.set(item.number, item);
    unwritten.set(project, target);
    cancelTimer ??= wall.after(delayMs, () => void flush().catch(reportError));
  });

  function flush(): Promise<void> {
    cancelTimer?.();
    cancelTimer = undefined;
    writing = writing.catch(() => undefined).then(writeAll);
    return writing;
  }

  /** Writes what is there now. What comes meanwhile is written later, with more of its kind. */
  async function writeAll(): Promise<void> {
    const rest = unwritten;
    unwritten = new Map();
    while (rest.size > 0) {
      const taken = takeSome(rest);
      try {
        await database.writeJournal(taken.lines, taken.oldest);
      } catch (error) {
        for (const [project, { epoch, items }] of [...taken.projects, ...rest]) putBack(project, epoch, items);
        throw error;
      }
      for (const one of taken.oldest) trimmed.set(one.project, one);
    }
  }

  /** Takes what one statement writes. What the journal has dropped since is left out. */
  function takeSome(rest: Map<string, Unwritten>) {
    const lines: JournalLine[] = [];
    const oldest: OldestLine[] = [];
    const projects = new Map<string, Unwritten>();
    let length = 0;
    for (const [project, { epoch, items }] of rest) {
      if (length >= maxLength) break;
      rest.delete(project);
      projects.set(project, { epoch, items });
      // An evicted project has no journal in memory; all of it stays in the database.
      const first = journal.oldest(project) ?? 0;
      if (first > trimmedTo(project, epoch)) oldest.push({ project, epoch, number: first });
      const kept = [...items].filter(([number]) => number >= first);
      const added = kept.map(([number, item]) => ({ project, epoch, number, text: toItemText(item) }));
      lines.push(...added);
      length += added.reduce((sum, { text }) => sum + text.length, 0);
    }
    return { lines, oldest, projects };
  }

  /** Returns the number of the oldest stored entry of a project, 0 if this is not known. */
  function trimmedTo(project: string, epoch: number): number {
    const last = trimmed.get(project);
    return last?.epoch === epoch ? last.number : 0;
  }

  /** Puts items back after a failed write; newer versions of them win. */
  function putBack(project: string, epoch: number, items: Map<number, JournalItem>): void {
    const newer = unwritten.get(project);
    if (newer && newer.epoch !== epoch) return;
    unwritten.set(project, { epoch, items: new Map([...items, ...(newer?.items ?? [])]) });
  }

  return {
    flush,
    discard: (project) => {
      unwritten.delete(project);
      trimmed.delete(project);
    },
    load: async (project) => {
      const items = (await database.readJournal(project)).map(fromItemText);
      journal.restore(project, items);
      for (const item of items) if ('request' in item) coverage.request(item.request);
    },
  };
}

/** Watches the tables as nobody in the simulation can, and finds what must never be there. */

import { runAll } from '../../src/lib/slices.ts';
import { toFileName } from '../../src/project/persistence/format/file-name.ts';
import { readLog } from '../../src/project/persistence/log/read-log.ts';
import type { ProjectState } from '../../src/project/state.ts';
import type { Tables } from './world/tables.ts';

export interface Watched {
  readonly tables: Tables;
  /** Checks that the cause of a callback is committed, and that it was not delivered by this owner's knowledge. */
  checkCallback(process: string, project: string, id: string): void;
  /** Replays the log of a project. Returns undefined if there is none. */
  replay(project: string): ProjectState | undefined;
}

export function watchTables(tables: Tables, violate: (text: string) => void): Watched {
  /** The latest claims, and the texts of all lines since the beginning. */
  const epochs = new Map<string, number>();
  const seqs = new Map<string, number>();
  const texts = new Map<string, string[]>();

  function replay(project: string): ProjectState | undefined {
    const lines = tables.readLog(project).flatMap(({ text }) => text.match(/[^\n]*\n/g) ?? []);
    if (lines.length === 0) return undefined;
    try {
      return runAll(readLog(lines, toFileName(project), undefined)).state;
    } catch (error) {
      violate(`the log of ${project} does not replay: ${(error as Error).message}`);
      return undefined;
    }
  }

  return {
    tables: {
      ...tables,
      claim: (project, replica) => {
        const position = tables.claim(project, replica);
        if (position) epochs.set(project, position.epoch);
        return position;
      },
      write: (lines) => {
        const written = tables.write(lines);
        for (const { project, epoch, seq, text } of lines) {
          if (!written.has(project)) continue;
          if (epoch !== epochs.get(project)) violate(`a late line of epoch ${epoch} was written to ${project}`);
          const before = seqs.get(project);
          if (before !== undefined && before !== seq - 1 && tables.readLog(project).length > 1)
            violate(`line ${seq} of ${project} follows line ${before}`);
          seqs.set(project, seq);
          texts.set(project, [...(texts.get(project) ?? []), text]);
        }
        return written;
      },
    },
    checkCallback: (process, project, id) => {
      if (!texts.get(project)?.some((text) => text.includes(id)))
        violate(`callback ${id} of ${project} was sent before its cause was committed`);
      const isOwner = tables.ownerOf(project)?.startsWith(`${process}-`) === true;
      if (isOwner && replay(project)?.callbacks.get(id)?.state === 'delivered')
        violate(`callback ${id} of ${project} was sent again, although it was delivered`);
    },
    replay,
  };
}

/** Stores ids of projects as texts that PostgreSQL accepts: it refuses NUL, and its driver replaces lone surrogates. */
import type { ClusterDatabase } from './cluster-database.ts';

/** Escapes what a text of the database cannot hold. Other ids stay as they are. */
export function toTextId(project: string): string {
  return project.replace(/[\\\0]|\p{Surrogate}/gu, (found) => `\\${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function fromTextId(text: string): string {
  return text.replace(/\\([0-9a-f]{4})/g, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

function withTextId<Line extends { readonly project: string }>(line: Line): Line {
  return { ...line, project: toTextId(line.project) };
}

/** Wraps a database that accepts only texts as ids. */
export function withTextIds(database: ClusterDatabase): ClusterDatabase {
  return {
    ...database,
    locate: (project) => database.locate(toTextId(project)),
    claim: (project, replica) => database.claim(toTextId(project), replica),
    write: async (lines) => {
      const results = await database.write(lines.map(withTextId));
      return new Map(Array.from(results, ([id, result]) => [fromTextId(id), result]));
    },
    findSeq: (project, epoch) => database.findSeq(toTextId(project), epoch),
    release: (project, epoch, summary) => database.release(toTextId(project), epoch, summary),
    want: (project, replica) => database.want(toTextId(project), replica),
    listWanted: async (replica) => (await database.listWanted(replica)).map(fromTextId),
    listOrphans: async (max) => (await database.listOrphans(max)).map(fromTextId),
    removeAll: async () => (await database.removeAll()).map(fromTextId),
    listProjects: async (after, max) =>
      (await database.listProjects(after, max)).map((one) => ({ ...one, id: fromTextId(one.id) })),
    listEarlier: async (patterns, project) => (await database.listEarlier(patterns, toTextId(project))).map(fromTextId),
    describe: async (projects) =>
      (await database.describe(projects.map(toTextId))).map((one) => ({ ...one, id: fromTextId(one.id) })),
  };
}

/** The replicas' database in memory, with the statements of `postgres.ts` in the same order. */
import type {
  Claim,
  ClusterDatabase,
  ProjectWrite,
  StoredLog,
  WriteResult,
} from '../../../src/cluster/database/cluster-database.ts';
import type { Tables } from './tables.ts';

/** Runs a statement, which is one step of the database. It may run twice, if its answer was lost. */
export type RunStatement = <Result>(name: string, effect: () => Result) => Promise<Result>;

/** Runs each statement at once. */
export const runAtOnce: RunStatement = async (_name, effect) => effect();

export function createFakeDatabase(tables: Tables, run: RunStatement): ClusterDatabase {
  async function claim(project: string, replica: string): Promise<Claim> {
    const position = await run(`claim ${project}`, () => tables.claim(project, replica));
    if (position) {
      const readLog = (): StoredLog => ({
        lines: tables.readLog(project).map(({ text }) => text),
        items: tables.readItems(project),
      });
      return { owner: 'me', ...position, ...(await run(`log ${project}`, readLog)) };
    }
    const place = await run(`locate ${project}`, () => tables.locate(project));
    const owner = place?.replica;
    if (owner && owner.id !== replica) return { owner: 'other', replica: owner, epoch: place.epoch };
    const isUnfenced = await run('unfenced', () => tables.isUnfenced(replica));
    return isUnfenced ? claim(project, replica) : { owner: 'fenced' };
  }

  async function write(lines: readonly ProjectWrite[]): Promise<ReadonlyMap<string, WriteResult>> {
    const name = lines.map(({ project, epoch, seq, kind }) => `${project}/${epoch}/${seq} ${kind}`).join(', ');
    let attempts = 0;
    const written = await run(`write ${name}`, () => {
      attempts += 1;
      return tables.write(lines);
    });
    const doubtful = lines.filter(({ project }) => !written.has(project));
    const isThere = ({ project, epoch, seq, text }: ProjectWrite): boolean => {
      const position = tables.positionOf(project);
      const last = tables.readLog(project).find((line) => line.seq === seq);
      return position?.epoch === epoch && position.seq === seq && (last?.text ?? '') === text;
    };
    const done = doubtful.length === 0 ? [] : await run('positions', () => doubtful.filter(isThere));
    const missing = attempts > 1 ? 'unknown' : 'lost';
    return new Map(
      lines.map((line) => [line.project, written.has(line.project) || done.includes(line) ? 'written' : missing]),
    );
  }

  return {
    join: async (replica) => {
      await run('join', () => tables.join(replica));
      return run('settings', () => tables.settingsOfOthers(replica.id));
    },
    renew: (replica, leaseMs) => run('renew', () => tables.renew(replica, leaseMs)),
    listLiving: (leaseMs) => run('living', () => tables.listLiving(leaseMs)),
    fenceSilent: (replica, silentMs) => run(`fence ${replica}`, () => tables.fenceSilent(replica, silentMs)),
    isUnfenced: (replica) => run('unfenced', () => tables.isUnfenced(replica)),
    leave: (replica) => run('leave', () => tables.leave(replica)),
    locate: (project) => run(`locate ${project}`, () => tables.locate(project)),
    claim,
    write,
    release: (project, epoch, summary) =>
      run(`release ${project}/${epoch}`, () => tables.release(project, epoch, summary)),
    listProjects: (after, max) => run('projects', () => tables.listProjects(after, max)),
    listEarlier: (globs, project) => run('earlier', () => tables.listEarlier(globs, project)),
    want: (project, replica) => run(`want ${project}`, () => tables.want(project, replica)),
    listWanted: (replica) => run('wanted', () => tables.listWanted(replica)),
    listOrphans: (max) => run('orphans', () => tables.listOrphans(max)),
    removeAll: () => run('remove all', tables.removeAll),
    read: (key, after) => run(`read ${key}`, () => tables.read(key, after)),
    store: (key, version, value) => run(`store ${key}`, () => tables.store(key, version, value)),
    close: () => Promise.resolve(),
  };
}

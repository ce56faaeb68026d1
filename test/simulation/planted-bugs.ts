/** Bugs that the simulation must find, planted into what surrounds a replica. */
import type { ProjectWrite } from '../../src/cluster/database/cluster-database.ts';
import type { ChangeTracker } from '../../src/project/changes.ts';
import type { Focus } from './plan.ts';
import type { Plant } from './world/fleet.ts';
import type { Tables } from './world/tables.ts';

/** Writes lines wherever their projects are by now. */
function withoutFence(tables: Tables): Tables {
  const toNext = (line: ProjectWrite): ProjectWrite => {
    const { epoch, seq } = tables.positionOf(line.project) ?? { epoch: line.epoch, seq: line.seq - 1 };
    return { ...line, epoch, seq: seq + 1 };
  };
  return { ...tables, write: (lines) => tables.write(lines.map(toNext)) };
}

/** Changes the tracker of each project. */
function withTracker(change: (tracker: ChangeTracker) => Partial<ChangeTracker>): Plant {
  return {
    changeStore: (store) => {
      const trackerOf = store.trackerOf.bind(store);
      return Object.assign(store, {
        trackerOf: (project: string) => {
          const tracker = trackerOf(project);
          return Object.assign(tracker, change({ ...tracker }));
        },
      });
    },
  };
}

const mapLines = (change: (line: ProjectWrite) => ProjectWrite): Plant => ({
  changeTables: (tables) => ({ ...tables, write: (lines) => tables.write(lines.map(change)) }),
});

/** A bug with the faults that show it soonest. */
export interface PlantedBug extends Plant {
  readonly focus?: Focus;
  /** One with which it is found soon. */
  readonly seed?: number;
}

export const plantedBugs: Readonly<Record<string, PlantedBug>> = {
  'a late line is written': { changeTables: withoutFence, focus: { faults: ['fence', 'pause'] } },
  'a claim takes a project from a living owner': {
    changeTables: (tables) => ({
      ...tables,
      claim: (project, replica) => {
        const { epoch } = tables.positionOf(project) ?? {};
        // Its log stays, and the owner does not learn of it.
        if (epoch !== undefined && tables.readLog(project).length > 0) tables.release(project, epoch, undefined);
        return tables.claim(project, replica);
      },
      locate: (project) => {
        const place = tables.locate(project);
        return place.owner === 'replica' ? { owner: 'free' } : place;
      },
    }),
  },
  'a callback leaves before its cause is committed': withTracker(() => ({ beforeSend: () => undefined })),
  'a response leaves before its change is committed': withTracker(() => ({ persisted: () => undefined })),
  'due work is forgotten': {
    ...mapLines((line) => ({ ...line, isDue: false })),
    focus: { faults: ['kill', 'fence'] },
    seed: 5000,
  },
  'a claim loads all lines but the last': {
    changeTables: (tables) => ({
      ...tables,
      readLog: (project) => tables.readLog(project).slice(0, Math.max(1, tables.readLog(project).length - 1)),
    }),
  },
};

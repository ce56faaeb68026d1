/** Makes the planned faults happen, each before one step of the simulation. */
import { type Plan, type PlannedFault, projects } from './plan.ts';
import type { Fleet } from './world/fleet.ts';
import { type Cuts, toPair } from './world/links.ts';
import type { Simulator } from './world/simulator.ts';
import type { Tables } from './world/tables.ts';

interface World {
  readonly simulator: Simulator;
  readonly fleet: Fleet;
  readonly cuts: Cuts;
  readonly tables: Tables;
}

export interface Faults {
  /** Whether all have begun and ended. */
  havePassed(): boolean;
  /** Ends those that last. */
  end(): void;
}

export function planFaults({ faults, replicas }: Plan, { simulator, fleet, cuts, tables }: World): Faults {
  const { note, now, after, steps } = simulator;
  const begun = steps();
  const left = faults.toSorted((a, b) => a.step - b.step);
  let lastsUntil = 0;

  const make: Readonly<Record<PlannedFault['kind'], (fault: PlannedFault) => void>> = {
    kill: ({ target, ms }) => {
      fleet.kill(target % replicas);
      after(ms, () => fleet.start(target % replicas));
    },
    pause: ({ target, ms }) => fleet.pause(target % replicas, ms),
    terminate: ({ target, ms }) =>
      fleet.terminate(target % replicas, () => after(ms, () => fleet.start(target % replicas))),
    fence: ({ target }) => {
      const owner = tables.ownerOf(projects[target] ?? '');
      if (owner === undefined) return;
      note('database', `fences ${owner}`);
      tables.fenceSilent(owner, Number.NEGATIVE_INFINITY);
    },
    want: ({ target }) => {
      note('database', `${projects[target]} is wanted`);
      tables.want(projects[target] ?? '', 'somebody');
    },
    'cut from database': ({ target, ms }) => {
      const process = fleet.processOf(target % replicas);
      if (!process) return;
      note(process.name, `CUT FROM THE DATABASE for ${ms} ms`);
      cuts.fromDatabase.set(process.name, now() + ms);
    },
    'cut from replica': ({ target, other, ms }) => {
      const [one, two] = [target, target + 1 + other].map((slot) => fleet.processOf(slot % replicas));
      if (!one || !two || one === two) return;
      note(one.name, `CUT FROM ${two.name} for ${ms} ms`);
      cuts.between.set(toPair(one.name, two.name), now() + ms);
    },
    'restart database': ({ ms }) => {
      note('database', `RESTARTS, for ${ms} ms`);
      cuts.databaseUntil = Math.max(cuts.databaseUntil, now() + ms);
      after(ms, tables.restart);
    },
  };

  simulator.beforeStep(() => {
    while (left[0] && steps() - begun > left[0].step) {
      const fault = left.shift() as PlannedFault;
      lastsUntil = Math.max(lastsUntil, now() + fault.ms);
      make[fault.kind](fault);
    }
  });
  return {
    havePassed: () => left.length === 0 && now() > lastsUntil,
    end: () => {
      left.length = 0;
      cuts.databaseUntil = 0;
      cuts.fromDatabase.clear();
      cuts.between.clear();
    },
  };
}

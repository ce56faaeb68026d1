/** Converts the project state to one JSON value and back. */
import { Collection } from '../../../records/collection.ts';
import type { Records } from '../../../records/records.ts';
import type { Due } from '../../due-list.ts';
import { createDueWork, type DueWork, type ProjectState } from '../../state.ts';

type Pairs<Mapped> = Mapped extends Map<infer Key, infer Value> ? readonly (readonly [Key, Value])[] : never;

/** The project state as JSON. Maps become lists of pairs, so that their order and ids such as `__proto__` survive. */
export interface StateValue
  extends Omit<
    ProjectState,
    'records' | 'due' | 'callbacks' | 'ruleCounts' | 'requestTallies' | 'activations' | 'groups'
  > {
  readonly records: { readonly [Name in keyof Records]: Pairs<Records[Name]> };
  readonly due: readonly Due<DueWork>[];
  readonly callbacks: Pairs<ProjectState['callbacks']>;
  readonly ruleCounts: Pairs<ProjectState['ruleCounts']>;
  readonly requestTallies: Pairs<ProjectState['requestTallies']>;
  readonly activations: Pairs<ProjectState['activations']>;
  readonly groups: Pairs<ProjectState['groups']>;
}

/** The parts of the project state that are in none of its long lists. */
export type ShortParts = Omit<StateValue, 'records' | 'callbacks' | 'due'>;

/** Returns the short parts. They share the project's own objects, so serialise them before the project changes. */
export function toShortParts({
  records: _records,
  callbacks: _callbacks,
  due: _due,
  ruleCounts,
  requestTallies,
  activations,
  groups,
  ...plain
}: ProjectState): ShortParts {
  return {
    ...plain,
    ruleCounts: [...ruleCounts],
    requestTallies: [...requestTallies],
    activations: [...activations],
    groups: [...groups],
  };
}

/** Creates a project state from its JSON value. It uses the objects of the value without copying them. */
export function fromValue({
  records,
  due,
  callbacks,
  ruleCounts,
  requestTallies,
  activations,
  groups,
  ...plain
}: StateValue): ProjectState {
  return {
    ...plain,
    due: createDueWork(due),
    records: {
      jobs: new Collection(records.jobs),
      orders: new Collection(records.orders),
      routes: new Map(records.routes),
      users: new Map(records.users),
      devices: new Map(records.devices),
      trails: new Map(records.trails),
    },
    callbacks: new Map(callbacks),
    ruleCounts: new Map(ruleCounts),
    requestTallies: new Map(requestTallies),
    activations: new Map(activations),
    groups: new Map(groups),
  };
}

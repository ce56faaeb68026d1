/** A world's data as one JSON value, and back; what its values mean is the rooms' own. */
import { Collection } from './store/collection.ts';
import type { Records } from './store/records.ts';
import type { WorldData } from './world-data.ts';

type Pairs<Mapped> = Mapped extends Map<infer Key, infer Value> ? readonly (readonly [Key, Value])[] : never;

/** Maps are lists of pairs here, so that their order, and ids such as `__proto__`, survive. */
export interface WorldValue
  extends Omit<WorldData, 'records' | 'callbacks' | 'ruleCounts' | 'requestTallies' | 'activations' | 'groups'> {
  readonly records: { readonly [Name in keyof Records]: Pairs<Records[Name]> };
  readonly callbacks: Pairs<WorldData['callbacks']>;
  readonly ruleCounts: Pairs<WorldData['ruleCounts']>;
  readonly requestTallies: Pairs<WorldData['requestTallies']>;
  readonly activations: Pairs<WorldData['activations']>;
  readonly groups: Pairs<WorldData['groups']>;
}

/** The value shares the world's own objects: make it text before the world goes on. */
export function toValue({
  records,
  callbacks,
  ruleCounts,
  requestTallies,
  activations,
  groups,
  ...plain
}: WorldData): WorldValue {
  const { jobs, orders, routes, users, devices, trails } = records;
  return {
    ...plain,
    records: {
      jobs: [...jobs],
      orders: [...orders],
      routes: [...routes],
      users: [...users],
      devices: [...devices],
      trails: [...trails],
    },
    callbacks: [...callbacks],
    ruleCounts: [...ruleCounts],
    requestTallies: [...requestTallies],
    activations: [...activations],
    groups: [...groups],
  };
}

/** What `toValue` gave, also after it was JSON. It is taken over, not copied. */
export function fromValue({
  records,
  callbacks,
  ruleCounts,
  requestTallies,
  activations,
  groups,
  ...plain
}: WorldValue): WorldData {
  return {
    ...plain,
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

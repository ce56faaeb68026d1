/** One life of a project, from its beginning to its reset: what is known of it, and its books. */

import { createState, joinFaults, magicFault, type State } from '../model/rules.ts';
import type { Findings } from './findings.ts';
import { createLedger, type Ledger } from './ledger.ts';
import type { Story } from './stories.ts';

/** Ids of records that are there: for certain, or at the latest when all is carried out that was accepted before. */
export interface KnownIds {
  readonly stored: string[];
  readonly accepted: string[];
}

export interface Life {
  readonly project: string;
  /** Names this life among all, as the path of its callbacks. */
  readonly key: string;
  readonly secret: string;
  readonly story: Story;
  readonly isFrozen: boolean;
  readonly ledger: Ledger;
  /** The model of the project, with everything that was accepted already applied. */
  readonly state: State;
  readonly known: Readonly<Record<'jobs' | 'orders' | 'routes' | 'users', KnownIds>>;
  /** A new id, which nothing in this life has. */
  nextId(prefix: string): string;
  /** When it is to end, on the machine's clock. */
  readonly endsAt: number;
  /** When it was reset. */
  endedAt: number | undefined;
}

/** Of each kind so many ids are remembered. */
const maxKnown = 200;

export function createLife(
  named: Pick<Life, 'project' | 'key' | 'secret' | 'story' | 'isFrozen' | 'endsAt'>,
  findings: Findings,
): Life {
  let count = 0;
  const none = (): KnownIds => ({ stored: [], accepted: [] });
  return {
    ...named,
    ledger: createLedger(named.key, findings, named.story.gatheredMs),
    state: createState(0, false, (...entry) => joinFaults(named.story.faultOf?.(...entry), magicFault(...entry))),
    known: { jobs: none(), orders: none(), routes: none(), users: none() },
    nextId: (prefix) => {
      count += 1;
      return `${prefix}-${count}`;
    },
    endedAt: undefined,
  };
}

/** Remembers ids, the latest of them. */
export function remember(known: string[], ids: readonly string[]): void {
  known.push(...ids);
  if (known.length > maxKnown) known.splice(0, known.length - maxKnown);
}

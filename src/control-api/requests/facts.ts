/** Derives what lists show of a request from its journal entry, once per entry. */
import type { JournalEntry } from '../../journal/entry.ts';
import { type NamedIds, noIds, toNamedIds } from '../../journal/named-ids.ts';
import type { Contract } from '../../openapi/contract.ts';
import { recordsNamedBy } from '../named-records.ts';

export interface RequestFacts {
  /** Returns the ids that a request names. Parses the body of a rejected request at the first call. */
  named(entry: JournalEntry): NamedIds;
  /** Returns the names of the scenarios of which a rule fired. */
  scenarios(entry: JournalEntry): readonly string[];
}

const none: readonly string[] = [];

export function createRequestFacts(contract: Pick<Contract, 'match'>): RequestFacts {
  const findNamed = oncePerEntry((entry) => toNamedIds(recordsNamedBy(entry, contract)));
  return {
    named: (entry) => entry.named ?? (entry.operation === undefined ? noIds : findNamed(entry)),
    scenarios: ({ fired }) => (fired.length === 0 ? none : [...new Set(fired.map(({ scenario }) => scenario))]),
  };
}

function oncePerEntry<Fact extends object>(find: (entry: JournalEntry) => Fact): (entry: JournalEntry) => Fact {
  const found = new WeakMap<JournalEntry, Fact>();
  return (entry) => {
    const known = found.get(entry);
    if (known) return known;
    const fact = find(entry);
    found.set(entry, fact);
    return fact;
  };
}

/** Returns the class of a status, such as `4xx`; `0` if the connection was broken before a status was sent. */
export function classOf(status: number): string {
  return classes[Math.floor(status / 100)] ?? '0';
}

const classes = ['0', '1xx', '2xx', '3xx', '4xx', '5xx'] as const;

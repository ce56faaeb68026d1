/**
 * Finds the rules that a request matches, and the entries, without conditions on counts, time or chance. It changes
 * nothing and reads only the request.
 */
import { valueAt } from '../lib/pointer.ts';
import type { Entry } from '../operations/command.ts';
import type { Candidates, RuleSet, ScopedExpectation, ScopedRule } from './compiled.ts';
import {
  describeEntry,
  describeField,
  describeFirst,
  describeItems,
  hidden,
  maxDescribed,
  type Outline,
  type Trace,
  toShortText,
} from './explain.ts';
import { costOfGlobs, matchesAny } from './glob.ts';
import { type ItemTest, selectNumbers } from './item.ts';
import { costOf, type FieldTest } from './matcher.ts';
import { createSecretLookup, SecretNotes, type SecretTests } from './secret-tests.ts';

/** The data of a request that rules use. */
export interface Subject {
  readonly operation: string;
  readonly project: string;
  readonly subproject: string | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  /** The entries that the contract accepted. */
  readonly entries: readonly Entry[];
  /** The entries that the contract rejected. */
  readonly refused: readonly { readonly order: number }[];
  /** Whether a text must not be recorded, whatever the name of its header. */
  readonly isSecret?: (text: string) => boolean;
  /** Recorded results of conditions on secrets, if this is a replayed request without the secrets. */
  readonly secretTests?: SecretTests;
}

/** A rule that a request matches, and the numbers of the matching entries. */
export interface Match {
  readonly rule: ScopedRule;
  readonly items: readonly number[];
}

export interface Matches {
  readonly set: RuleSet;
  /** The evaluated rules in order, with why they do not match. */
  readonly results: readonly (Match | Trace)[];
  /** Explains why the other rules were skipped. */
  readonly outline: Outline;
  readonly secretTests: SecretTests;
  /** Keys of the expectations whose `item` condition an entry matches. */
  readonly matchedExpectations: ReadonlySet<string>;
  /** Whether a limit was exceeded. If true, the other fields are incomplete. */
  readonly isTooMuch: boolean;
}

/** Maximum number of tests for one request, about 50 ms. Beyond it, the request is rejected. A glob counts by its length. */
export const maxTests = 1_000_000;

/** Number of tests that an entry counts as which a rule with `chance` matches, because it is drawn. */
const testsPerDraw = 8;

/** Matches a request against the rules of a set. */
export function match(set: RuleSet, subject: Subject): Matches {
  const { operation, project, subproject, entries } = subject;
  const candidates = set.findCandidates(operation, entries);
  const matching = new Matching(subject, candidates);
  const results = candidates.rules.map((rule) => matching.testRule(rule));
  const met = set.expectations.filter((one) => matching.isMet(one));
  return {
    set,
    results,
    outline: {
      operation,
      project,
      subproject,
      count: countEntries(subject),
      ...describeFirst(entries, candidates.fields),
    },
    secretTests: matching.secretTests,
    matchedExpectations: new Set(met.map(({ key }) => key)),
    isTooMuch: matching.isTooMuch,
  };
}

const noSecretTests: SecretTests = {};

/** Tests the rules for one request, and counts the tests. */
class Matching {
  readonly #subject: Subject;
  readonly #candidates: Candidates;
  readonly #lookUp: ReturnType<typeof createSecretLookup> | undefined;
  #tests = 0;
  #secrets: SecretNotes | undefined;
  /** The numbers of the entries, in ascending order. */
  readonly #allItems: readonly number[];
  #present: ReadonlySet<number> | undefined;

  constructor(subject: Subject, candidates: Candidates) {
    this.#subject = subject;
    this.#candidates = candidates;
    this.#allItems = subject.entries.map((entry) => entry.item);
    this.#lookUp = subject.secretTests && createSecretLookup(subject.secretTests);
  }

  get isTooMuch(): boolean {
    return this.#tests > maxTests;
  }

  get secretTests(): SecretTests {
    return this.#secrets?.tests() ?? noSecretTests;
  }

  testRule(rule: ScopedRule): Match | Trace {
    if (this.isTooMuch) return { rule, items: [] };
    this.#tests += 1;
    const { project: projects, subproject: subprojects, where, item } = rule.rule;
    const { project, subproject } = this.#subject;
    if (!this.#testGlobs(projects, project)) return { rule, stage: 'project', saw: project };
    if (!this.#testGlobs(subprojects, subproject)) return { rule, stage: 'subproject', saw: subproject };
    for (const field of where) {
      const value = this.#read(field);
      if (this.#testField(field, value, rule.key)) continue;
      const shown = value !== undefined && this.#isSecret(field, value) ? hidden : value;
      return { rule, stage: 'where', saw: describeField(field, shown) };
    }
    if (item) return this.#selectItems(rule, item);
    return { rule, items: this.#allItems };
  }

  /** Whether an expectation has an `item` condition, which an entry matches. */
  isMet({ key, expectation }: ScopedExpectation): boolean {
    if (expectation.kind !== 'requests' || !expectation.item) return false;
    const { item } = expectation;
    const { operation, entries } = this.#subject;
    if (!expectation.appliesTo(operation)) return false;
    return entries.some((entry) => this.#testEntry(key, item, entry));
  }

  /** Selects the entries that a rule matches; if there are none, describes the first ones. */
  #selectItems(rule: ScopedRule, item: ItemTest): Match | Trace {
    const { entries } = this.#subject;
    const mismatches: string[] = [];
    let items: readonly number[];
    if (item.by === 'number') items = this.#selectNumbers(item);
    else {
      const indexes = this.#candidates.entries.get(rule.index);
      const tested = indexes ? indexes.map((at) => entries[at] as Entry) : entries;
      items = tested.filter((entry) => this.#testEntry(rule.key, item, entry, mismatches)).map((entry) => entry.item);
    }
    this.#tests += items.length * (rule.rule.chance === undefined ? 1 : testsPerDraw);
    return items.length > 0 ? { rule, items } : { rule, stage: 'item', saw: this.#describeItems(item, mismatches) };
  }

  #selectNumbers(item: Extract<ItemTest, { by: 'number' }>): readonly number[] {
    this.#tests += item.numbers.length;
    this.#present ??= new Set(this.#allItems);
    return selectNumbers(item, this.#present, this.#allItems.at(-1) ?? 0);
  }

  /** Tests an entry. Describes it in `mismatches` if it is one of the first that do not match. */
  #testEntry(key: string, item: ItemTest, entry: Entry, mismatches?: string[]): boolean {
    if (this.isTooMuch) return false;
    if (item.by === 'number') {
      this.#tests += 1;
      return item.test(entry.item);
    }
    if (item.by === 'id') {
      if (this.#testGlobs(item.globs, entry.id)) return true;
      if (mismatches && mismatches.length < maxDescribed) mismatches.push(toShortText(entry.id));
      return false;
    }
    for (const field of item.fields) {
      const value = valueAt(entry.value, field.keys);
      if (this.#testField(field, value, key, entry.item)) continue;
      if (mismatches && mismatches.length < maxDescribed) mismatches.push(describeEntry(item, field, value));
      return false;
    }
    return true;
  }

  #describeItems(item: ItemTest, mismatches: readonly string[]): string {
    const { refused } = this.#subject;
    if (item.by === 'number') this.#tests += refused.length;
    const wasRefused = item.by === 'number' && refused.some((one) => isEntry(one) && item.test(one.order));
    if (wasRefused) return `expected ${item.wanted}; it was rejected as invalid`;
    return describeItems(item, countEntries(this.#subject), mismatches);
  }

  /** Whether a text matches one of the globs. Does not test it if the limit is exceeded. */
  #testGlobs(globs: readonly string[] | undefined, text: string | undefined): boolean {
    if (globs && text !== undefined) this.#tests += costOfGlobs(globs, text);
    return !this.isTooMuch && matchesAny(globs, text);
  }

  /** Tests a field. Records the result if the value is secret, and reads it if it was recorded. */
  #testField(field: FieldTest, value: unknown, key: string, item?: number): boolean {
    this.#tests += costOf(field, value);
    const mustRecord = this.#isSecret(field, value);
    if (!mustRecord && !this.#lookUp) return field.test(value);
    const name = `${key} ${field.path}`;
    const result = this.#lookUp?.(name, item) ?? field.test(value);
    if (mustRecord) {
      this.#secrets ??= new SecretNotes();
      this.#secrets.add(name, item, result);
      this.#tests += 3;
    }
    return result;
  }

  #read({ keys }: FieldTest): unknown {
    return valueAt(keys[0] === 'headers' ? this.#subject : this.#subject.body, keys);
  }

  /** Whether a value is secret. A header of any name may contain an API key. */
  #isSecret({ isSecret, keys }: FieldTest, value: unknown): boolean {
    return isSecret || (keys[0] === 'headers' && typeof value === 'string' && this.#subject.isSecret?.(value) === true);
  }
}

/** Returns the number of entries of a request, including those that the contract rejected. */
function countEntries({ entries, refused }: Subject): number {
  return entries.length + (refused.length === 0 ? 0 : refused.filter(isEntry).length);
}

/** Whether an order belongs to an entry. A fraction between two numbers belongs to a route. */
function isEntry({ order }: { readonly order: number }): boolean {
  return Number.isInteger(order);
}

/**
 * Finds the rules that a request matches, and the entries, without conditions on counts, time or chance. It changes
 * nothing and reads only the request, so it can run in slices before the request takes effect.
 */
import type { Entry } from '../operations/command.ts';
import type { CompiledRule, RuleSet, ScopedRule } from './compiled.ts';
import { createEntrySearch } from './entry-search.ts';
import type { Outline } from './explain.ts';
import { matchesAny } from './glob.ts';
import { type ItemTest, matchesItem, selectNumbers, type TestField } from './item.ts';
import { costOf, type FieldTest, valueAt } from './matcher.ts';
import { createMismatchReader, firstIds, hidden, readMismatches, toMismatch } from './mismatch.ts';
import type { Note } from './notes.ts';
import { createSecretLookup, createSecretNotes, type SecretTests } from './secret-tests.ts';

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

export interface Matches {
  readonly set: RuleSet;
  /** The evaluated rules. */
  readonly rules: readonly ScopedRule[];
  /** For each evaluated rule, the numbers of the matching entries, or why it does not match. */
  readonly results: readonly (Note | readonly number[])[];
  /** Explains why the other rules were skipped. */
  readonly outline: Outline;
  readonly secretTests: SecretTests;
  /** Keys of the expectations whose `item` condition an entry matches. */
  readonly matchedExpectations: ReadonlySet<string>;
  /** Whether a limit was exceeded. If true, the other fields are incomplete. */
  readonly isTooMuch: boolean;
}

/** Maximum number of tests for one request, about 2 s. Beyond it, the request is rejected. */
export const maxTests = 40_000_000;

/** Maximum sum of a request's matching entries over all rules. An entry counts eight times with `chance`. */
export const maxMatchedEntries = 2_000_000;

export interface Matching {
  /** Runs about this number of tests. Returns whether matching is done. */
  run(tests: number): boolean;
  /** Returns the result. Call it once matching is done. */
  end(): Matches;
}

/** The entries of a rule that match so far, and the position of the next entry to test. */
interface Progress {
  readonly items: number[];
  readonly testField: TestField;
  next: number;
}

/** Creates the matching of a request against the rules of a set. */
export function createMatching(set: RuleSet, subject: Subject): Matching {
  const { entries } = subject;
  const { rules, entries: candidates, fields } = set.findCandidates(subject.operation, entries);
  const expected = set.entryExpectations.filter(({ appliesTo }) => appliesTo(subject.operation));
  if (rules.length === 0 && fields.length === 0 && expected.length === 0) return createUnmatched(set, subject);
  const search = createEntrySearch(expected, entries);
  const secrets = createSecretNotes();
  const lookUpRecorded = subject.secretTests && createSecretLookup(subject.secretTests);
  const readMismatch = createMismatchReader(entries);
  const count = countEntries(subject);
  const results: (Note | readonly number[])[] = [];
  let allItems: readonly number[] | undefined;
  let tests = 0;
  let matched = 0;
  /** Progress of the rule whose entries are being tested. */
  let progress: Progress | undefined;

  function createFieldTester(key: string): TestField {
    return (field, value, item) => {
      tests += costOf(field, value);
      const mustRecord = isSecretValue(field, value, subject);
      if (!mustRecord && !lookUpRecorded) return field.test(value);
      const name = `${key} ${field.path}`;
      const result = lookUpRecorded?.(name, item) ?? field.test(value);
      if (mustRecord) {
        secrets.add(name, item, result);
        tests += 3;
      }
      return result;
    };
  }

  /** Repeats a test without recording its result again. */
  const retest =
    (key: string): TestField =>
    (field, value, item) =>
      lookUpRecorded?.(`${key} ${field.path}`, item) ?? field.test(value);

  function start({ key, rule }: ScopedRule): Note | readonly number[] | undefined {
    const testField = createFieldTester(key);
    const failed = checkSubject(rule, subject, testField);
    if (failed) return failed;
    if (!rule.item) {
      allItems ??= entries.map(({ item }) => item);
      return allItems;
    }
    if (rule.item.by === 'number') {
      const items = selectNumbers(rule.item, entries);
      tests += Math.max(rule.item.numbers.length, items.length);
      return items.length > 0 ? items : toMissNote(key, rule.item);
    }
    progress = { items: [], testField, next: 0 };
    return undefined;
  }

  /** Tests the next entries of a rule. Returns undefined if some are left. */
  function resume({ key, index, rule: { item } }: ScopedRule, testLimit: number): Note | readonly number[] | undefined {
    if (!progress || !item || !testEntries(progress, item, candidates.get(index), testLimit)) return undefined;
    const { items } = progress;
    progress = undefined;
    return items.length > 0 ? items : toMissNote(key, item);
  }

  /** Tests entries until the limit; `indexes` are those to test, or undefined for all. Returns whether it is done. */
  function testEntries(
    state: Progress,
    item: ItemTest,
    indexes: readonly number[] | undefined,
    testLimit: number,
  ): boolean {
    const end = indexes?.length ?? entries.length;
    const cost = item.by === 'id' ? item.globs.length : 0;
    while (state.next < end) {
      if (tests >= testLimit) return false;
      const entry = entries[indexes ? (indexes[state.next] as number) : state.next] as Entry;
      state.next += 1;
      tests += cost;
      if (matchesItem(item, entry, state.testField)) state.items.push(entry.item);
    }
    return true;
  }

  function toMissNote(key: string, item: ItemTest): Note {
    const { refused } = subject;
    if (item.by === 'number') tests += refused.length;
    const wasRefused = item.by === 'number' && refused.some((one) => isEntry(one) && item.test(one.order));
    return { code: 'item', saw: count, wasRefused, had: readMismatch(item, retest(key)) };
  }

  function testRule(scoped: ScopedRule, testLimit: number): Note | readonly number[] | undefined {
    tests += 1;
    const result = progress ? resume(scoped, testLimit) : (start(scoped) ?? resume(scoped, testLimit));
    const { item, chance } = scoped.rule;
    if (item && result && 'length' in result) matched += result.length * (chance === undefined ? 1 : 8);
    return result;
  }

  const isTooMuch = (): boolean => tests > maxTests || matched > maxMatchedEntries;

  function run(limit: number): boolean {
    const testLimit = Math.min(tests + limit, maxTests + 1);
    while (results.length < rules.length) {
      if (isTooMuch()) return true;
      if (tests >= testLimit) return false;
      const result = testRule(rules[results.length] as ScopedRule, testLimit);
      if (!result) return tests > maxTests;
      results.push(result);
    }
    tests += search.run(testLimit - tests);
    return search.isDone() || tests > maxTests;
  }

  return {
    run,
    end: () => {
      const { project, subproject } = subject;
      const outline = { project, subproject, count, ids: firstIds(entries), had: readMismatches(fields, entries) };
      const secretTests = secrets.tests();
      return { set, rules, results, outline, secretTests, matchedExpectations: search.found, isTooMuch: isTooMuch() };
    },
  };
}

const noSecretTests: SecretTests = {};
const noKeys: ReadonlySet<string> = new Set();
const noValues: Outline['had'] = {};

/** Creates the result for a request without candidate rules and expectations, which is the common case. */
function createUnmatched(set: RuleSet, subject: Subject): Matching {
  const { project, subproject, entries } = subject;
  const outline = { project, subproject, count: countEntries(subject), ids: firstIds(entries), had: noValues };
  const matches = {
    set,
    rules: [],
    results: [],
    outline,
    secretTests: noSecretTests,
    matchedExpectations: noKeys,
    isTooMuch: false,
  };
  return { run: () => true, end: () => matches };
}

/** Whether a value is secret. A header of any name may contain an API key. */
function isSecretValue({ isSecret, keys }: FieldTest, value: unknown, subject: Subject): boolean {
  return isSecret || (keys[0] === 'headers' && typeof value === 'string' && subject.isSecret?.(value) === true);
}

function checkSubject(rule: CompiledRule, subject: Subject, testField: TestField): Note | undefined {
  if (!matchesAny(rule.project, subject.project)) return { code: 'project', saw: subject.project };
  if (!matchesAny(rule.subproject, subject.subproject)) return { code: 'subproject', saw: subject.subproject };
  for (const [index, field] of rule.where.entries()) {
    const source = field.keys[0] === 'headers' ? subject : subject.body;
    const value = valueAt(source, field.keys);
    if (testField(field, value)) continue;
    if (value === undefined) return { code: 'where', saw: undefined, field: index };
    // Formatted immediately, so that the notes in the journal hold no reference to objects of the body.
    return {
      code: 'where',
      saw: toMismatch(field, isSecretValue(field, value, subject) ? hidden : value),
      field: index,
    };
  }
  return undefined;
}

/** Returns the number of entries of a request, including those that the contract rejected. */
function countEntries({ entries, refused }: Subject): number {
  return entries.length + (refused.length === 0 ? 0 : refused.filter(isEntry).length);
}

/** Whether an order belongs to an entry. A fraction between two numbers belongs to a route. */
function isEntry({ order }: { readonly order: number }): boolean {
  return Number.isInteger(order);
}

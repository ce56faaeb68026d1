/**
 * Finds the rules that a request matches, and the entries, without conditions on counts, time or chance. It changes
 * nothing and reads only the request.
 */
import type { Entry } from '../operations/command.ts';
import type { CompiledRule, EntryExpectation, RuleSet, ScopedRule } from './compiled.ts';
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

/** Maximum number of tests for one request, about 50 ms. Beyond it, the request is rejected. A glob counts by its length. */
export const maxTests = 1_000_000;

/** Number of tests that an entry counts as which a rule with `chance` matches, because it is drawn. */
const testsPerDraw = 8;

/** Matches a request against the rules of a set. */
export function match(set: RuleSet, subject: Subject): Matches {
  const { entries } = subject;
  const { rules, entries: candidates, fields } = set.findCandidates(subject.operation, entries);
  const expected = set.entryExpectations.filter(({ appliesTo }) => appliesTo(subject.operation));
  if (rules.length === 0 && fields.length === 0 && expected.length === 0) return toUnmatched(set, subject);
  const secrets = createSecretNotes();
  const lookUpRecorded = subject.secretTests && createSecretLookup(subject.secretTests);
  const readMismatch = createMismatchReader(entries);
  const count = countEntries(subject);
  let allItems: readonly number[] | undefined;
  let tests = 0;

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

  /** Returns the numbers of the matching entries. */
  function selectItems({ index, rule: { item } }: ScopedRule, testField: TestField): readonly number[] {
    if (!item) {
      allItems ??= entries.map((entry) => entry.item);
      return allItems;
    }
    if (item.by === 'number') {
      tests += item.numbers.length;
      return selectNumbers(item, entries);
    }
    const indexes = candidates.get(index);
    const tested = indexes ? indexes.map((at) => entries[at] as Entry) : entries;
    return findMatching(item, tested, testField).map((entry) => entry.item);
  }

  function findMatching(item: ItemTest, tested: readonly Entry[], testField: TestField): readonly Entry[] {
    const cost = item.by === 'id' ? item.globs.length : 0;
    return tested.filter((entry) => {
      if (tests > maxTests) return false;
      tests += cost;
      return matchesItem(item, entry, testField);
    });
  }

  function toMissNote(key: string, item: ItemTest): Note {
    const { refused } = subject;
    if (item.by === 'number') tests += refused.length;
    const wasRefused = item.by === 'number' && refused.some((one) => isEntry(one) && item.test(one.order));
    return { code: 'item', saw: count, wasRefused, had: readMismatch(item, retest(key)) };
  }

  function testRule(scoped: ScopedRule): Note | readonly number[] {
    const { key, rule } = scoped;
    tests += 1;
    const testField = createFieldTester(key);
    const failed = checkSubject(rule, subject, testField);
    if (failed) return failed;
    const items = selectItems(scoped, testField);
    if (!rule.item) return items;
    tests += items.length * (rule.chance === undefined ? 1 : testsPerDraw);
    return items.length > 0 ? items : toMissNote(key, rule.item);
  }

  function isFound({ item }: EntryExpectation): boolean {
    return entries.some((entry) => {
      if (tests > maxTests) return false;
      tests += item.by === 'id' ? item.globs.length : 1;
      return matchesItem(item, entry, countedTest);
    });
  }

  const countedTest: TestField = (field, value) => {
    tests += costOf(field, value);
    return field.test(value);
  };

  const results = rules.map((scoped): Note | readonly number[] => (tests > maxTests ? [] : testRule(scoped)));
  const { project, subproject } = subject;
  return {
    set,
    rules,
    results,
    outline: { project, subproject, count, ids: firstIds(entries), had: readMismatches(fields, entries) },
    secretTests: secrets.tests(),
    matchedExpectations: new Set(expected.filter(isFound).map(({ key }) => key)),
    isTooMuch: tests > maxTests,
  };
}

const noSecretTests: SecretTests = {};
const noKeys: ReadonlySet<string> = new Set();
const noValues: Outline['had'] = {};

/** Creates the result for a request without candidate rules and expectations, which is the common case. */
function toUnmatched(set: RuleSet, subject: Subject): Matches {
  const { project, subproject, entries } = subject;
  return {
    set,
    rules: [],
    results: [],
    outline: { project, subproject, count: countEntries(subject), ids: firstIds(entries), had: noValues },
    secretTests: noSecretTests,
    matchedExpectations: noKeys,
    isTooMuch: false,
  };
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

/** Delta debugging: finds a smallest scenario with which a command still fails. Independent of how the command runs. */
import { type Pin, pinRule } from './pins.ts';
import type { NamedRule } from './scenario.ts';

type Pins = ReadonlyMap<string, readonly Pin[]>;

/** A rule, and the requests to which it is pinned; without them, it decides itself when it fires. */
interface Part {
  readonly rule: NamedRule;
  readonly pins?: readonly Pin[];
}

/**
 * Returns a smallest part of the rules with which the command failed: first whole rules go, then requests, then
 * conditions and effects. `pins`: where they fired then, by their names. `fails` runs the command under rules, and
 * returns whether it fails; invalid ones do not.
 */
export async function shrink(
  rules: readonly NamedRule[],
  pins: Pins,
  fails: (rules: readonly NamedRule[]) => Promise<boolean>,
): Promise<readonly NamedRule[]> {
  const search = new Search(rules, pins, fails);
  await search.keepFired();
  await search.dropParts();
  for (const { rule } of search.parts) await search.pin(rule.name);
  for (const { rule } of search.parts) await search.dropPins(rule.name);
  for (const { rule } of search.parts) await search.simplify(rule.name);
  return toRules(search.parts);
}

/** Tries smaller parts, and keeps the smallest that fails. None is tried twice. */
class Search {
  readonly #pins: Pins;
  readonly #fails: Parameters<typeof shrink>[2];
  readonly #tried = new Set<string>();
  #parts: readonly Part[];

  constructor(rules: readonly NamedRule[], pins: Pins, fails: Parameters<typeof shrink>[2]) {
    this.#pins = pins;
    this.#fails = fails;
    this.#parts = rules.map((rule) => ({ rule }));
    this.#tried.add(JSON.stringify(rules));
  }

  get parts(): readonly Part[] {
    return this.#parts;
  }

  /** Drops all rules that never fired, and makes the others fire only where they did. */
  async keepFired(): Promise<void> {
    const fired = this.#parts.filter(({ rule }) => this.#pins.has(rule.name));
    if (fired.length === 0 || (await this.#try(fired.map((part) => this.#pinned(part))))) return;
    await this.#try(fired);
  }

  async dropParts(): Promise<void> {
    await minimize(this.#parts, (rest) => this.#try(rest));
  }

  async pin(name: string): Promise<void> {
    const isPinned = await this.#replace(name, (part) => this.#pinned(part));
    if (!isPinned) await this.#replace(name, (part) => this.#narrowed(part));
  }

  async dropPins(name: string): Promise<void> {
    const tryPins = (pins: readonly Pin[]) => this.#replace(name, ({ rule }) => ({ rule, pins }));
    await minimize(this.#pinsOf(name), tryPins);
    await tryPins(fromFirst(this.#pinsOf(name)));
    for (const [index, pin] of this.#pinsOf(name).entries()) {
      await minimize(pin.items ?? [], (items) => tryPins(this.#pinsOf(name).with(index, { ...pin, items })));
    }
  }

  /** Drops conditions, effects and their details one by one, as long as one can go. */
  async simplify(name: string): Promise<void> {
    let current = this.#parts.find(({ rule }) => rule.name === name);
    while (current) {
      const before: Part = current;
      current = undefined;
      for (const rule of simplerForms(before.rule)) {
        const part = { ...before, rule };
        if (!(await this.#replace(name, () => part))) continue;
        current = part;
        break;
      }
    }
  }

  #pinsOf(name: string): readonly Pin[] {
    return this.#parts.find(({ rule }) => rule.name === name)?.pins ?? [];
  }

  /** Pins a rule where chance or a number decides, and otherwise names the operations on which it fired. */
  #pinned(part: Part): Part {
    const { chance, when, then } = part.rule;
    const isCounted = chance !== undefined || when?.request !== undefined;
    const pins = this.#pins.get(part.rule.name);
    return isCounted && then.limit === undefined && pins ? { pins, ...part } : this.#narrowed(part);
  }

  #narrowed({ rule, pins }: Part): Part {
    const fired = this.#pins.get(rule.name);
    if (pins || !fired) return { rule, ...(pins && { pins }) };
    const operation = toShort([...new Set(fired.map((pin) => pin.operation))]) as string | readonly string[];
    return { rule: { ...rule, when: { ...rule.when, operation } } };
  }

  #replace(name: string, change: (part: Part) => Part): Promise<boolean> {
    return this.#try(this.#parts.map((part) => (part.rule.name === name ? change(part) : part)));
  }

  async #try(parts: readonly Part[]): Promise<boolean> {
    const rules = toRules(parts);
    const key = JSON.stringify(rules);
    if (this.#tried.has(key)) return false;
    this.#tried.add(key);
    if (!(await this.#fails(rules))) return false;
    this.#parts = parts;
    return true;
  }
}

/** Moves pins to the first requests, which are easier to understand, with the same distances. */
function fromFirst(pins: readonly Pin[]): readonly Pin[] {
  const [first] = pins;
  return first ? pins.map((pin) => ({ ...pin, nth: pin.nth - first.nth + 1 })) : [];
}

function toRules(parts: readonly Part[]): readonly NamedRule[] {
  return parts.flatMap(({ rule, pins }) => (pins ? pinRule(rule, pins) : [rule]));
}

/** Returns the rule without a condition, without an effect or one of its details, or with a shorter list. */
function* simplerForms(rule: NamedRule): Generator<NamedRule> {
  const { operation, item, request, ...conditions } = rule.when ?? {};
  const kept = { ...(operation && { operation }), ...(item && { item }), ...(request && { request }) };
  for (const when of withoutOne(conditions, 1)) yield withWhen(rule, { ...kept, ...when });
  for (const key of ['chance', 'times'] as const) {
    const { [key]: dropped, ...rest } = rule;
    if (dropped !== undefined) yield rest;
  }
  for (const then of withoutOne(rule.then, 3)) yield { ...rule, then: then as NamedRule['then'] };
  for (const key of ['operation', 'item'] as const)
    for (const list of withoutOne(toList(rule.when?.[key]), 1))
      yield withWhen(rule, { ...rule.when, [key]: toShort(list) });
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** One value is written without a list. */
function toShort(list: object): unknown {
  return Array.isArray(list) && list.length === 1 ? list[0] : list;
}

/** A condition that became empty goes. */
function withWhen({ when: _when, ...rule }: NamedRule, when: object): NamedRule {
  return Object.keys(when).length === 0 ? rule : { ...rule, when };
}

/** Removes each element of a list or field of an object in turn, also further in, down to `depth` levels. */
function* withoutOne(value: unknown, depth: number): Generator<object> {
  if (depth === 0 || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    if (value.length > 1) for (const index of value.keys()) yield value.toSpliced(index, 1);
    return;
  }
  for (const key of Object.keys(value)) {
    const { [key]: child, ...rest } = value as Readonly<Record<string, unknown>>;
    yield rest;
    for (const smaller of withoutOne(child, depth - 1)) yield { ...value, [key]: smaller };
  }
}

/**
 * Removes parts of a list, first halves, then ever smaller ones, as long as the rest still fails. Never returns an empty
 * list. One of n elements takes about 2 log n tests, two about twice as many.
 */
async function minimize<Element>(
  elements: readonly Element[],
  stillFails: (rest: readonly Element[]) => Promise<boolean>,
): Promise<void> {
  let left = elements;
  let size = Math.ceil(left.length / 2);
  while (left.length > 1) {
    const before = left.length;
    for (let from = 0; from < left.length; ) {
      const rest = left.toSpliced(from, size);
      if (rest.length > 0 && (await stillFails(rest))) left = rest;
      else from += size;
    }
    if (size === 1 && left.length === before) return;
    size = Math.max(1, Math.min(Math.ceil(size / 2), Math.ceil(left.length / 2)));
  }
}

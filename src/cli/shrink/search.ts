/** Delta debugging: finds a smallest scenario with which a command still fails. Independent of how the command runs. */
import type { Globs } from '../../scenarios/types.ts';
import { type Pin, pinRule } from './pins.ts';
import type { NamedRule } from './scenario.ts';

type Pins = ReadonlyMap<string, readonly Pin[]>;

/** A rule, and the requests to which it is pinned; without them, it decides itself when it fires. */
interface Part {
  readonly rule: NamedRule;
  readonly pins?: readonly Pin[];
}

/** Runs the command under rules, and returns whether it fails; invalid ones do not. `ruleCount`: before pins split them. */
type Fails = (rules: readonly NamedRule[], ruleCount: number) => Promise<boolean>;

/** Tries smaller parts of the rules, and keeps the smallest with which the command fails. None is tried twice. */
export class Search {
  readonly #pins: Pins;
  readonly #fails: Fails;
  /** Includes no rules at all, with which the command passed. */
  readonly #tried = new Set<string>(['[]']);
  #parts: readonly Part[];

  /** `rules`: with them, the command failed. `pins`: where they fired then, by their names. */
  constructor(rules: readonly NamedRule[], pins: Pins, fails: Fails) {
    this.#pins = pins;
    this.#fails = fails;
    this.#parts = rules.map((rule) => ({ rule }));
    this.#tried.add(JSON.stringify(rules));
  }

  /** Returns the smallest part: first whole rules go, then requests, then conditions and effects. */
  async find(): Promise<readonly NamedRule[]> {
    await this.#keepFired();
    await minimize(this.#parts, (rest) => this.#try(rest));
    for (const { rule } of this.#parts) await this.#pin(rule.name);
    for (const { rule } of this.#parts) await this.#dropPins(rule.name);
    for (const { rule } of this.#parts) await this.#simplify(rule.name);
    return toRules(this.#parts);
  }

  /** Drops all rules that never fired, and makes the others fire only where they did. */
  async #keepFired(): Promise<void> {
    const fired = this.#parts.filter(({ rule }) => this.#pins.has(rule.name));
    if (fired.length === 0 || (await this.#try(fired.map((part) => this.#pinned(part))))) return;
    await this.#try(fired);
  }

  async #pin(name: string): Promise<void> {
    const isPinned = await this.#replace(name, (part) => this.#pinned(part));
    if (!isPinned) await this.#replace(name, (part) => this.#narrowed(part));
  }

  async #dropPins(name: string): Promise<void> {
    const tryPins = (pins: readonly Pin[]) => this.#replace(name, ({ rule }) => ({ rule, pins }));
    await minimize(this.#pinsOf(name), tryPins);
    await tryPins(fromFirst(this.#pinsOf(name)));
    for (const [index, pin] of this.#pinsOf(name).entries()) {
      await minimize(pin.items ?? [], (items) => tryPins(this.#pinsOf(name).with(index, { ...pin, items })));
    }
  }

  /** Drops conditions, effects and their details one by one, as long as one can go. */
  async #simplify(name: string): Promise<void> {
    const { rule } = this.#parts.find((part) => part.rule.name === name) as Part;
    for (const simpler of simplerForms(rule, 4)) {
      const isSimpler = await this.#replace(name, (part) => ({ ...part, rule: simpler as NamedRule }));
      if (isSimpler) return this.#simplify(name);
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
    const operation = toShort([...new Set(fired.map((pin) => pin.operation))]) as Globs;
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
    if (!(await this.#fails(rules, parts.length))) return false;
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

/** Without these, a rule would fire on more. */
const selectors: readonly string[] = ['operation', 'item', 'request'];
const keptKeys: readonly string[] = ['name', 'scope', 'when', 'then', ...selectors];

/** Returns an object without each field in turn, also further in, down to `depth` levels. */
function* simplerForms(object: object, depth: number): Generator<object> {
  for (const [key, child] of Object.entries(object)) {
    const { [key]: _dropped, ...rest } = object as Readonly<Record<string, unknown>>;
    if (!keptKeys.includes(key)) yield rest;
    for (const simpler of simplerValues(key, child, depth - 1)) {
      const isEmpty = key === 'when' && Object.keys(simpler as object).length === 0;
      yield isEmpty ? rest : { ...object, [key]: simpler };
    }
  }
}

/** Returns a list without each element in turn, or the simpler forms of an object. */
function* simplerValues(key: string, value: unknown, depth: number): Generator<unknown> {
  if (depth === 0 || typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) return selectors.includes(key) ? undefined : yield* simplerForms(value, depth);
  if (value.length > 1) for (const index of value.keys()) yield toShort(value.toSpliced(index, 1));
}

/** One value is written without a list. */
function toShort(list: readonly unknown[]): unknown {
  return list.length === 1 ? list[0] : list;
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

/** Finds a smallest scenario with which a command still fails, in few runs. Independent of how the command runs. */
import { type Attempt, firedOperations, hasFired, type NamedRule } from './attempt.ts';
import { lower, minimize } from './minimize.ts';
import { durationFinders, numberFinders, type RuleDuration, singleForms, withWhen } from './rules/numbers.ts';
import { canPin, nameWhole, pinRule } from './rules/pin.ts';
import { narrowOperations, simplerForms } from './rules/simplify.ts';

/** Rules with which the command failed, and what it did then. */
export interface Failing {
  readonly rules: readonly NamedRule[];
  readonly attempt: Attempt;
}

export interface ShrinkRequest {
  /** The first failure. */
  readonly first: Failing;
  /** Whether these rules form a valid scenario. */
  isValid(rules: readonly NamedRule[]): boolean;
  /** Runs the command under rules. Returns undefined if there is no time for it. */
  run(rules: readonly NamedRule[]): Promise<Attempt | undefined>;
}

/** Tries smaller scenarios, and keeps the smallest that fails. None is tried twice. */
interface Search {
  best(): Failing;
  /** Whether the command fails under these rules; they are then the best. */
  stillFails(rules: readonly NamedRule[]): Promise<boolean>;
}

/** Shrinks a scenario: first what tells most in one run, then its rules, then the conditions and effects of each. */
export async function shrink(request: ShrinkRequest): Promise<Failing> {
  const search = createSearch(request);
  await keepFired(search);
  await dropRules(search);
  const before = search.best().rules.length;
  for (const { name } of search.best().rules) {
    await replace(search, name, (rule) => pinOrNarrow(rule, search.best().attempt));
  }
  if (search.best().rules.length > before) await dropRules(search);
  for (const { name } of search.best().rules) await simplify(search, name);
  for (const { name } of search.best().rules) await lowerNumbers(search, name);
  for (const { name } of search.best().rules) await shorten(search, name);
  const { rules, attempt } = search.best();
  return { rules: nameWhole(rules), attempt };
}

function createSearch({ first, isValid, run }: ShrinkRequest): Search {
  let best = first;
  const tried = new Set([JSON.stringify(first.rules)]);
  return {
    best: () => best,
    stillFails: async (rules) => {
      const key = JSON.stringify(rules);
      if (tried.has(key)) return false;
      tried.add(key);
      if (!isValid(rules)) return false;
      const attempt = await run(rules);
      if (!attempt?.fails) return false;
      best = { rules, attempt };
      return true;
    },
  };
}

/** Drops all rules that never fired, and makes the others fire only where they did. */
async function keepFired(search: Search): Promise<void> {
  const { rules, attempt } = search.best();
  const fired = rules.filter(({ name }) => hasFired(attempt, name));
  if (fired.length === 0) return;
  const pinned = fired.flatMap((rule) => pinOrNarrow(rule, attempt));
  if (await search.stillFails(pinned)) return;
  await search.stillFails(fired);
}

function pinOrNarrow(rule: NamedRule, attempt: Attempt): readonly NamedRule[] {
  const visits = attempt.visits.get(rule.name) ?? [];
  if (canPin(rule, visits)) return pinRule(rule, visits);
  return [narrowOperations(rule, firedOperations(attempt, rule.name)) ?? rule];
}

async function dropRules(search: Search): Promise<void> {
  await minimize(search.best().rules, search.stillFails);
}

/** Tries to replace a rule. Does nothing if the rule no longer exists. */
async function replace(
  search: Search,
  name: string,
  change: (rule: NamedRule) => NamedRule | readonly NamedRule[] | undefined,
): Promise<boolean> {
  const { rules } = search.best();
  const rule = rules.find((one) => one.name === name);
  const changed = rule && change(rule);
  if (changed === undefined) return false;
  return search.stillFails(rules.flatMap((one) => (one === rule ? changed : [one])));
}

/** Replaces a rule by simpler ones. */
async function simplify(search: Search, name: string): Promise<void> {
  const rule = search.best().rules.find((one) => one.name === name);
  if (!rule) return;
  await replace(search, name, (current) => narrowOperations(current, firedOperations(search.best().attempt, name)));
  for (const form of simplerForms(rule)) await replace(search, name, form);
  const operations = findIn(search, name, ({ when }) => when?.operation);
  if (Array.isArray(operations)) {
    const narrow = (rest: readonly string[]) => replace(search, name, (current) => narrowOperations(current, rest));
    await minimize(operations, narrow);
  }
}

async function lowerNumbers(search: Search, name: string): Promise<void> {
  for (const form of singleForms) await replace(search, name, form);
  await lowerItems(search, name);
  for (const find of numberFinders) {
    const found = findIn(search, name, find);
    if (found) await lower(found.value, found.minimum, (number) => replace(search, name, () => found.replace(number)));
  }
}

async function lowerItems(search: Search, name: string): Promise<void> {
  const item = findIn(search, name, ({ when }) => when?.item);
  if (!Array.isArray(item)) return;
  await minimize(item as readonly number[], (rest) =>
    replace(search, name, (rule) => withWhen(rule, { item: rest.length === 1 ? (rest[0] as number) : rest })),
  );
}

async function shorten(search: Search, name: string): Promise<void> {
  for (const find of durationFinders) {
    const found = findIn(search, name, find);
    if (found) await halve(found, (ms) => replace(search, name, () => found.replace(ms)));
  }
}

/** Halves a duration as long as the command still fails. */
async function halve({ ms, canBeNone }: RuleDuration, stillFails: (ms: number) => Promise<boolean>): Promise<void> {
  if (canBeNone && (await stillFails(0))) return;
  for (let next = Math.floor(ms / 2); next > 0; next = Math.floor(next / 2)) {
    if (!(await stillFails(next))) return;
  }
}

function findIn<Found>(search: Search, name: string, find: (rule: NamedRule) => Found | undefined): Found | undefined {
  const rule = search.best().rules.find((one) => one.name === name);
  return rule && find(rule);
}

/** Plays a command that sends fixed requests, and fails if certain rules fire. Counts its runs. */
import type { Pin } from '../../../src/cli/shrink/pins.ts';
import { type NamedRule, parseRules } from '../../../src/cli/shrink/scenario.ts';
import { shrink } from '../../../src/cli/shrink/search.ts';
import { createHash } from '../../../src/lib/random.ts';
import { matchesAny, toGlobs } from '../../../src/scenarios/glob.ts';

/** What a rule did: the index of the request on which it fired, with all requests in one project. */
export interface Fired {
  readonly rule: NamedRule;
  readonly request: number;
  readonly operation: string;
}

export interface FakeCommand {
  /** Operations of its requests, in their order. Each has ten entries. */
  readonly requests: readonly string[];
  readonly fails: (fired: readonly Fired[]) => boolean;
}

const entryCount = 10;

/** Shrinks rules, and returns the smallest with the number of runs, including one without and one with all rules. */
export async function shrinkFake(
  rules: readonly NamedRule[],
  command: FakeCommand,
): Promise<{ readonly rules: readonly NamedRule[]; readonly runs: number }> {
  const first = play(rules, command);
  if (!first.fails) throw new Error('the planted failure does not happen');
  let runs = 2;
  const smallest = await shrink({
    rules,
    pins: first.pins,
    isValid: (smaller) => smaller.every(isValid),
    fails: async (smaller) => {
      runs += 1;
      return play(smaller, command).fails;
    },
  });
  return { rules: smallest, runs };
}

const validity = new WeakMap<NamedRule, boolean>();

/** Parsing is slow, and most rules occur many times. */
function isValid(rule: NamedRule): boolean {
  const known = validity.get(rule) ?? parseRules({ name: 'smaller' }, [rule]) !== undefined;
  validity.set(rule, known);
  return known;
}

function play(rules: readonly NamedRule[], { requests, fails }: FakeCommand) {
  const fired: Fired[] = [];
  const pins = new Map<string, readonly Pin[]>();
  for (const [index, rule] of rules.entries()) {
    const own = fireRule(rule, index, requests);
    fired.push(...own.map(({ request, pin }) => ({ rule, request, operation: pin.operation })));
    if (own.length > 0)
      pins.set(
        rule.name,
        own.map(({ pin }) => pin),
      );
  }
  return { fails: fails(fired), pins };
}

/** Returns the requests on which a rule fires, each with its number among those of its operation. */
function fireRule(
  rule: NamedRule,
  index: number,
  requests: readonly string[],
): readonly { readonly request: number; readonly pin: Pin }[] {
  const random = createHash('fake', String(index));
  let met = 0;
  let acted = 0;
  return requests.flatMap((operation, request) => {
    if (!matchesAny(toGlobs(rule.when?.operation), operation)) return [];
    met += 1;
    const { chance } = rule;
    const isDue = isInRange(rule, met) && acted < (rule.times ?? Number.POSITIVE_INFINITY);
    const items = drawItems(rule, (item) => chance === undefined || random.fraction(`${met}:${item}`) < chance);
    if (!isDue || items.length === 0) return [];
    acted += 1;
    const nth = requests.slice(0, request + 1).filter((one) => one === operation).length;
    return [{ request, pin: { operation, nth, ...(rule.when?.item !== undefined && { items }) } }];
  });
}

function isInRange({ when }: NamedRule, number: number): boolean {
  const { request } = when ?? {};
  if (!request) return true;
  if ('nth' in request) return number === request.nth;
  if ('every' in request) return number % request.every === 0;
  return number >= request.from && number <= (request.to ?? Number.POSITIVE_INFINITY);
}

function drawItems({ when }: NamedRule, isDrawn: (item: number) => boolean): readonly number[] {
  const { item } = when ?? {};
  const all = Array.from({ length: entryCount }, (_, index) => index + 1);
  if (item === undefined) return isDrawn(0) ? [0] : [];
  if (typeof item === 'number') return [item].filter(isDrawn);
  if (Array.isArray(item)) return (item as readonly number[]).filter(isDrawn);
  if ('every' in item && typeof item.every === 'number') {
    const { every } = item;
    return all.filter((number) => number % every === 0 && isDrawn(number));
  }
  return all.filter(isDrawn);
}

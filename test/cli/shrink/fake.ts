/** Plays a command that sends fixed requests, and fails if certain rules fire. Counts its runs. */
import type { Attempt, NamedRule, Visit } from '../../../src/cli/shrink/attempt.ts';
import { parseRules } from '../../../src/cli/shrink/scenario.ts';
import { shrink } from '../../../src/cli/shrink/shrink.ts';
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
  maxRuns: number = Number.POSITIVE_INFINITY,
): Promise<{ readonly rules: readonly NamedRule[]; readonly runs: number }> {
  const attempt = play(rules, command);
  if (!attempt.fails) throw new Error('the planted failure does not happen');
  let runs = 2;
  const result = await shrink({
    first: { rules, attempt },
    isValid: (smaller) => smaller.every(isValid),
    run: async (smaller) => {
      if (runs >= maxRuns) return undefined;
      runs += 1;
      return play(smaller, command);
    },
  });
  return { rules: result.rules, runs };
}

const validity = new WeakMap<NamedRule, boolean>();

/** Parsing is slow, and most rules occur many times. */
function isValid(rule: NamedRule): boolean {
  const known = validity.get(rule) ?? parseRules({ name: 'smaller' }, [rule]) !== undefined;
  validity.set(rule, known);
  return known;
}

function play(rules: readonly NamedRule[], { requests, fails }: FakeCommand): Attempt {
  const fired: Fired[] = [];
  const visits = new Map(
    rules.map((rule, index) => {
      const own = visit(rule, index, requests);
      for (const [request, one] of own.entries()) {
        if (one?.fired) fired.push({ rule, request, operation: one.operation });
      }
      return [rule.name, own.filter((one) => one !== undefined)];
    }),
  );
  return { fails: fails(fired), visits };
}

function visit(rule: NamedRule, index: number, requests: readonly string[]): readonly (Visit | undefined)[] {
  const random = createHash('fake', String(index));
  let met = 0;
  let acted = 0;
  return requests.map((operation) => {
    if (!matchesAny(toGlobs(rule.when?.operation), operation)) return undefined;
    met += 1;
    const { chance } = rule;
    const isDue = isInRange(rule, met) && acted < (rule.times ?? Number.POSITIVE_INFINITY);
    const drawn = drawItems(rule, (item) => chance === undefined || random.fraction(`${met}:${item}`) < chance);
    const fired = isDue && drawn.length > 0;
    if (fired) acted += 1;
    const isDrawn = fired && chance !== undefined && rule.when?.item !== undefined;
    return { operation, scope: 'p', matches: true, fired, entryCount, ...(isDrawn && { drawn }) };
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

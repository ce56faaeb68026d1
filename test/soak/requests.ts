/** Random requests to all operations: realistic bodies, some of them with a mistake or with ids that fail. */
import type { Json } from '../../src/lib/json.ts';
import type { OperationId } from '../../src/operations/index.ts';
import type { Dice } from '../model/dice.ts';
import { drawOperation } from '../model/draws.ts';
import { documented, kindOf, listOf } from '../model/operations.ts';
import { toStep } from '../model/steps.ts';
import type { Bodies } from './bodies.ts';
import type { Life } from './life.ts';
import type { Wanted } from './step.ts';

interface Source {
  readonly dice: Dice;
  readonly bodies: Bodies;
  readonly life: Life;
}

/** What is wrong with an entry, or nothing; `impossible` means that its id exists already or is unknown. */
type Fate = 'good' | 'bad' | 'refused' | 'failing' | 'failingLate' | 'impossible';

const prefixes: Readonly<Partial<Record<Fate, string>>> = {
  refused: 'REFUSE',
  failing: 'FAIL-GEOCODE',
  failingLate: 'FAIL-LATE',
};

/** Fields of jobs and orders, users and locations that every operation rejects. */
const spoilt: Json = { status: 'LOST', password: 'secret', eventDateTime: 'yesterday' };

/** Draws a request to any operation. */
export function drawWanted(source: Source): Wanted {
  const { dice, life } = source;
  const operation = drawUsable(source);
  const list = listOf(operation);
  // Scenarios match jobs and orders that are created or listed.
  const isPlain = /Location|User|UpdateJob(?!s)|UpdateOrder/.test(operation);
  const fates = isPlain ? drawPlainFates(dice) : drawFates(source);
  const target = { project: life.project, sub: dice.of(['north', 'south']), id: '' };
  if (list === undefined) {
    const fate = fates();
    const id = drawId(source, operation, fate);
    const isSeen = fate !== 'bad';
    return { ...toStep(operation, { ...target, id }, drawEntry(source, operation, id, fate)), isSeen };
  }
  const draw = (): Json => {
    if (list === 'routes') return drawRoute(source, operation, fates);
    const fate = fates();
    return drawEntry(source, operation, drawId(source, operation, fate), fate);
  };
  const entries = Array.from({ length: list === 'routes' ? 1 + dice.below(3) : drawCount(dice) }, draw);
  const isSeen =
    list !== 'locations' || entries.every(({ eventDateTime }) => eventDateTime !== spoilt['eventDateTime']);
  return { ...toStep(operation, target, { [list]: entries }), isSeen };
}

/** Draws an operation; one that updates only if there is something to update. */
function drawUsable(source: Source): OperationId {
  const operation = drawOperation(source.dice);
  const isUsable = documented[operation][0] === 'POST' || idsFor(source, operation).length > 0;
  return isUsable ? operation : drawUsable(source);
}

/** Returns the ids of records that exist for certain when a request of the operation is applied. */
function idsFor({ life }: Source, operation: OperationId): readonly string[] {
  const { stored, accepted } = life.known[operation.includes('User') ? 'users' : kindOf(operation)];
  const [method, , status] = documented[operation];
  return method === 'PATCH' && status === 202 ? [...stored, ...accepted] : stored;
}

/** Draws a number of entries: 1 to 5 in 70 % of draws, at most 300. */
function drawCount(dice: Dice): number {
  const kind = dice.below(100);
  if (kind < 70) return 1 + dice.below(5);
  return kind < 95 ? 6 + dice.below(35) : 41 + dice.below(260);
}

/** One entry is bad in 10 % of requests, impossible in 10 %. */
function drawPlainFates(dice: Dice): () => Fate {
  const kind = dice.below(100);
  const fates: Fate[] = kind < 80 ? [] : [kind < 90 ? 'bad' : 'impossible'];
  return () => fates.pop() ?? 'good';
}

/** Nothing is wrong in 70 % of requests; else some entries are rejected now, or fail downstream. */
function drawFates({ dice, life }: Source): () => Fate {
  const kind = dice.below(100);
  if (kind < 70) return () => 'good';
  const wrong: Fate[] = kind < 78 ? ['bad', 'refused'] : ['failing', 'impossible'];
  // A failure after 30 s needs a clock that can be advanced.
  if (kind >= 78 && life.isFrozen) wrong.push('failingLate');
  return () => (dice.often(60) ? 'good' : dice.of(wrong));
}

/** Draws an id that no record has, or that of a record. */
function drawId(source: Source, operation: OperationId, fate: Fate): string {
  const { dice, life } = source;
  if (operation.includes('Location')) return `van-${dice.below(5)}`;
  const known = idsFor(source, operation);
  const isKnown = fate === (documented[operation][0] === 'PATCH' ? 'good' : 'impossible') && known.length > 0;
  return isKnown ? dice.of(known) : life.nextId(prefixes[fate] ?? 'N');
}

function drawEntry({ bodies }: Source, operation: OperationId, id: string, fate: Fate): Json {
  const sample = bodies(operation);
  const field = ['id', 'username', 'deviceId'].find((name) => name in sample);
  return { ...sample, ...(field && { [field]: id }), ...(fate === 'bad' && spoilt) };
}

function drawRoute(source: Source, operation: OperationId, fates: () => Fate): Json {
  const { dice, bodies, life } = source;
  const { jobs: samples, ...route } = bodies(operation) as { jobs: readonly Json[] };
  const { stored } = life.known.routes;
  const jobs = Array.from({ length: Math.min(40, drawCount(dice)) }, (_, place) => {
    const fate = fates();
    const job = { ...samples[place % samples.length], id: drawId(source, operation, fate) };
    return fate === 'bad' ? { ...job, ...spoilt } : job;
  });
  // A route that exists fails under its own id, with all its jobs.
  const id = stored.length > 0 && dice.often(6) ? dice.of(stored) : life.nextId('R');
  return { ...route, id, jobs };
}

/** The projects of a soak: each in its place, lives one life after another there, with a story and a clock of its own. */
import { act, type Parts } from './acts.ts';
import { cutOff, endInPeace } from './ending.ts';
import { createLife, type Life } from './life.ts';
import type { Receiver } from './receiver.ts';
import { disturbances, losing, stories, toScenario } from './stories.ts';

export interface Projects {
  /** Does something to a project that nobody is busy with; gives back whether there was one. */
  turn(): Promise<boolean>;
  /** Ends all lives in peace. */
  endAll(): Promise<void>;
  /** How many callbacks are still to come. */
  outstanding(): number;
  /** How many lives have ended so, how many were cut off, and how many callbacks were lost on purpose. */
  readonly ended: { peacefully: number; cut: number; dropped: number };
}

/** The place of a project, in which one comes after another. */
interface Place {
  readonly index: number;
  /** Names the project that is there. */
  generation: number;
  life: Life | undefined;
  isBusy: boolean;
}

interface Setting extends Parts {
  readonly receiver: Receiver;
  readonly count: number;
  /** How long a life lasts. */
  readonly lifeMs: number;
}

/** One in so many has a frozen clock. */
const frozenOneIn = 4;

export function createProjects(setting: Setting): Projects {
  const { client, dice, findings, receiver, count, lifeMs } = setting;
  const places = Array.from(
    { length: count },
    (_, index): Place => ({ index, generation: 0, life: undefined, isBusy: false }),
  );
  const ending = new Set<Promise<void>>();
  const ended = { peacefully: 0, cut: 0, dropped: 0 };
  const beganAt = performance.now();
  let lives = 0;
  let next = 0;

  async function begin(place: Place): Promise<Life> {
    lives += 1;
    const project = `soak-${place.index}-${place.generation}`;
    const story = stories[place.index % stories.length] as Life['story'];
    const isFrozen = Math.floor(place.index / stories.length) % frozenOneIn === 0;
    // Begun one after another, so that at any time there are projects of every age.
    const isFirst = lives <= count;
    const endsAt = isFirst ? beganAt + (lifeMs * (place.index + 1)) / count : performance.now() + lifeMs;
    const secret = `whsec_${Buffer.from(`soak secret ${String(lives).padStart(16, '0')}`).toString('base64')}`;
    const life = createLife({ project, key: `${project}/${lives}`, secret, story, isFrozen, endsAt }, findings);
    receiver.add(life);
    const path = `/projects/${project}`;
    if (isFrozen) await client.control('PUT', `${path}/clock`, { mode: 'frozen' });
    if (story.hasEndpoint)
      await client.control('PUT', `${path}/callback-endpoint`, { url: `${receiver.url}/${life.key}`, secret });
    if (story.scenario) await client.control('PUT', `${path}/scenarios`, { scenarios: [story.scenario] });
    return life;
  }

  async function end(place: Place, life: Life): Promise<void> {
    if (dice.often(25)) {
      await cutOff(setting, life);
      ended.cut += 1;
    } else {
      await endInPeace(setting, life);
      ended.peacefully += 1;
      ended.dropped += life.ledger.dropped();
    }
    // Some projects are gone for ever, and others come in their place.
    if (dice.often(40)) place.generation += 1;
    place.life = undefined;
    place.isBusy = false;
  }

  /** In turn from any place, so that all have their share. */
  function takeFree(): Place | undefined {
    for (let tried = 0; tried < count; tried += 1) {
      next = (next + 1 + (tried === 0 ? dice.below(count) : 0)) % count;
      const place = places[next];
      if (place && !place.isBusy) return place;
    }
    return undefined;
  }

  async function turn(): Promise<boolean> {
    const place = takeFree();
    if (!place) return false;
    place.isBusy = true;
    const { life } = place;
    if (life && performance.now() > life.endsAt) {
      const leaving = end(place, life).finally(() => ending.delete(leaving));
      ending.add(leaving);
      return true;
    }
    place.life ??= await begin(place);
    await act(setting, place.life);
    place.isBusy = false;
    return true;
  }

  return {
    turn,
    endAll: async () => {
      await Promise.all(ending);
      await Promise.all(places.map(async ({ life }) => life && endInPeace(setting, life)));
    },
    outstanding: () => places.reduce((sum, { life }) => sum + (life?.ledger.outstanding() ?? 0), 0),
    ended,
  };
}

/** Puts the scenarios that requests name in a header. */
export async function putDisturbances({ client }: Pick<Parts, 'client'>): Promise<void> {
  for (const disturbance of [...disturbances, losing])
    await client.control('PUT', `/scenarios/${disturbance.name}`, toScenario(disturbance));
}

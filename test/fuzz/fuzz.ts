/**
 * `npm run fuzz`: the built program under scenarios, bodies and views of all kinds, for ten minutes or as long as is given.
 * Ends with 1 where the program ended, failed, or answered nothing; the seed draws the same again. See docs/contributing/testing.md.
 */
import { parseArgs } from 'node:util';
import { createDice, type Dice } from '../model/dice.ts';
import { endOnSignals } from '../rig/process.ts';
import { type Answer, startReceiver } from '../rig/receiver.ts';
import { act, type Scene, type Shares, type Tally } from './actor.ts';
import { createClient, Found } from './client.ts';
import { type FuzzedServer, startServer } from './server.ts';

const write = (text: string): void => void process.stdout.write(`${text}\n`);

/** How many clients there are at a time, and how many steps each takes before the next server is started. */
const actors = 6;
const stepsPerRound = 60;

/** Of what is drawn, so much must be valid, and of that so much accepted. */
const minShare = 0.8;
/** By so many standard deviations a share of few draws may be smaller: by chance, one of a thousand is. */
const deviations = 3;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    round: { type: 'string', default: '1' },
    program: { type: 'string', default: 'dist/main.js' },
  },
});

const createShares = (): Shares => ({ drawn: 0, valid: 0, judged: 0, accepted: 0 });

/** How a callback is answered. */
function drawAnswer(dice: Dice): Answer {
  const answer = dice.of([200, 204, 204, 204, 410, 429, 500, 'close'] as const);
  const isWithHeader = answer !== 'close' && dice.often(20);
  return isWithHeader ? { status: answer, headers: { 'retry-after': dice.of(['1', '-1', 'soon']) } } : answer;
}

/** One server, from its start to its end. @throws Found */
async function playRound(seed: number, round: number, tally: Tally): Promise<number> {
  const dice = createDice(seed * 1000 + round);
  const receiver = await startReceiver(() => drawAnswer(dice));
  const server = await startServer(values.program, dice, `${receiver.url}/callbacks`);
  const client = createClient(server.url, 8);
  const scene: Scene = { url: server.url, client, tally, forAll: { isOdd: false, isBroken: false }, isAlone: true };
  try {
    const all = Array.from({ length: actors }, (_, number) =>
      act(scene, createDice(seed * 1000 + round * 10 + number), String(number), stepsPerRound),
    );
    await Promise.all(all);
    await checkEscaped(scene);
    await client.close();
    const wrong = await server.stop();
    if (wrong !== undefined) throw new Found(wrong);
    return client.count();
  } catch (error) {
    await explain(server, error);
    throw error;
  } finally {
    await receiver.close();
  }
}

/** Where the program has ended, that is why a request had no answer. */
async function explain(server: FuzzedServer, error: unknown): Promise<void> {
  // The answer is lost before the end is known.
  await new Promise((go) => setTimeout(go, 500));
  const end = server.ended() ?? (await server.stop());
  write(`options: ${server.args.join(' ')}`);
  write(error instanceof Found ? error.message : String((error as Error).stack));
  if (end !== undefined) write(end);
}

async function checkEscaped({ client }: Scene): Promise<void> {
  const { text } = await client.ask({ method: 'GET', path: '/_sandbox/metrics' });
  const [, escaped] = /^sandbox_escaped_errors_total (\d+)$/m.exec(text) ?? [];
  if (escaped !== undefined && escaped !== '0') throw new Found(`${escaped} errors escaped every handler`);
}

/** Whether enough of what was drawn was valid, and of that was accepted. */
function isEnough(name: string, { drawn, valid, judged, accepted }: Shares): boolean {
  const [drawnShare, acceptedShare] = [valid / Math.max(1, drawn), accepted / Math.max(1, judged)].map(
    (share) => `${Math.round(share * 100)} %`,
  );
  write(`${name}: ${drawn} drawn, ${drawnShare} of them valid; of these ${judged} judged, ${acceptedShare} accepted`);
  return hasShare(valid, drawn) && hasShare(accepted, judged);
}

/** Whether a share is not smaller than the minimum by more than chance explains. */
function hasShare(part: number, all: number): boolean {
  const margin = deviations * Math.sqrt(all * minShare * (1 - minShare));
  return all > 0 && part >= all * minShare - margin;
}

async function main(): Promise<number> {
  endOnSignals();
  const seed = Number(values.seed);
  const endAt = performance.now() + Number(values.seconds) * 1000;
  const tally = { scenarios: createShares(), bodies: createShares() };
  let requests = 0;
  let round = Number(values.round);
  write(`fuzz: seed ${seed}, for ${values.seconds} s, ${values.program}`);
  for (; performance.now() < endAt; round += 1) {
    try {
      requests += await playRound(seed, round, tally);
    } catch {
      write(`fuzz: failed in round ${round}; again by: npm run fuzz -- --seed ${seed} --round ${round}`);
      return 1;
    }
  }
  write(`${round - Number(values.round)} servers, ${requests} requests`);
  const enough = [isEnough('scenarios', tally.scenarios), isEnough('bodies', tally.bodies)];
  const isPassed = enough.every(Boolean);
  write(isPassed ? 'fuzz: passed' : `fuzz: failed, since less than ${minShare * 100} % are valid or accepted`);
  return isPassed ? 0 : 1;
}

process.exit(await main());

/** One client of the fuzzed server with projects of its own: draws what to do next, and does it. */
import { connect } from 'node:net';
import fc from 'fast-check';
import type { Json } from '../../src/lib/json.ts';
import { type Asked, allAsked, prepared } from '../model/asked.ts';
import type { Dice } from '../model/dice.ts';
import { mutantsOf } from '../model/mutants.ts';
import { listOf } from '../model/operations.ts';
import { oddTexts } from '../model/values.ts';
import type { Client } from './client.ts';
import { brokenScenarios, scenarios } from './scenarios.ts';
import { drawView } from './views.ts';

/** How much of what was drawn as valid was accepted, and how much was drawn as such. */
export interface Shares {
  drawn: number;
  valid: number;
  /** Valid ones whose answer no scenario decides, and those of them that were accepted. */
  judged: number;
  accepted: number;
}

export interface Tally {
  readonly scenarios: Shares;
  readonly bodies: Shares;
}

/** What the actors of one server share. */
export interface Scene {
  readonly url: string;
  readonly client: Client;
  readonly tally: Tally;
  /** What scenarios of the server may do to any project's requests. */
  readonly forAll: Oddness;
  /** Whether no other clients use the server, so that the actors may change what all share. */
  readonly isAlone: boolean;
}

/** What scenarios may do to requests. */
export interface Oddness {
  /** Answer otherwise than the API would. */
  isOdd: boolean;
  /** Break the connection, or never answer. */
  isBroken: boolean;
}

interface Project extends Oddness {
  readonly id: string;
  isPrepared: boolean;
}

/** So long a client waits whose answer a scenario may hold back. */
const impatientMs = 150;

const operations: readonly Asked[] = allAsked();
const mutants = new Map(operations.map((asked) => [asked, mutantsOf(asked)]));

/** How often in a hundred a drawn scenario or body is a valid one. */
const validPercent = 88;

type Step = (scene: Scene, dice: Dice, project: Project) => Promise<void>;

/** Takes so many steps. */
export async function act(scene: Scene, dice: Dice, name: string, steps: number): Promise<void> {
  const projects = [1, 2].map(
    (number): Project => ({ id: `f-${name}-${number}`, isOdd: false, isBroken: false, isPrepared: false }),
  );
  for (let count = 0; count < steps; count += 1) {
    const project = dice.of(projects);
    if (!project.isPrepared) await prepare(scene, project);
    await drawStep(dice)(scene, dice, project);
  }
}

function sample<Value>(dice: Dice, values: fc.Arbitrary<Value>): Value {
  return fc.sample(values, { seed: dice.below(2 ** 31), numRuns: 1 })[0] as Value;
}

const weighted: readonly (readonly [number, Step])[] = [
  [40, sendRequest],
  [14, putScenarios],
  [28, look],
  [4, moveClock],
  [3, putEndpoint],
  [3, restore],
  [5, reset],
  [2, redeliver],
  [2, follow],
  [1, keepScenario],
  [1, sendOddly],
];
const totalWeight = weighted.reduce((sum, [weight]) => sum + weight, 0);

function drawStep(dice: Dice): Step {
  let left = dice.below(totalWeight);
  for (const [weight, step] of weighted) {
    left -= weight;
    if (left < 0) return step;
  }
  return sendRequest;
}

const control = (project: Project, path: string): string => `/_sandbox/projects/${project.id}${path}`;

/** What updates name is there then. */
async function prepare({ client }: Scene, project: Project): Promise<void> {
  await client.ask({ method: 'PUT', path: control(project, '/snapshot'), body: prepared });
  project.isPrepared = true;
}

async function sendRequest(scene: Scene, dice: Dice, project: Project): Promise<void> {
  const { client, tally } = scene;
  const asked = dice.of(operations);
  const isValid = dice.often(validPercent);
  const body = isValid ? withMagic(sample(dice, asked.bodies), asked, dice) : sample(dice, mutants.get(asked) as never);
  const named = dice.often(8) ? dice.of(['one', 'outage', 'none-such']) : undefined;
  const isOdd = project.isOdd || scene.forAll.isOdd || named !== undefined;
  const isBroken = project.isBroken || scene.forAll.isBroken || named !== undefined;
  const { status } = await client.ask({
    method: asked.method,
    path: asked.path(project.id),
    body: isValid ? body : cut((body as { text: string }).text, dice),
    headers: {
      ...(named && { 'x-sandbox-scenario': named }),
      ...(dice.often(10) && { 'x-test': dice.of(['1', 'a']) }),
    },
    // Another actor may switch scenarios on for all projects while this is on its way.
    mayFail: () => isOdd || scene.forAll.isOdd,
    ...(isBroken && { leaveAfterMs: impatientMs }),
  });
  count(tally.bodies, isValid, isOdd ? undefined : status < 300);
}

/** Some of what is wrong is no JSON at all. */
function cut(text: string, dice: Dice): string {
  return dice.often(25) ? text.slice(0, dice.below(text.length)) : text;
}

/** Entries that fail without any scenario, as the magic ids of the server have it. */
function withMagic(body: Json, { id }: Asked, dice: Dice): Json {
  const list = listOf(id);
  if (!id.startsWith('async') || (list !== 'jobs' && list !== 'orders') || !dice.often(30)) return body;
  return { ...body, [list]: [...(body[list] as unknown[]), { id: `FAIL-${dice.below(5)}` }] };
}

function count(shares: Shares, isValid: boolean, isAccepted: boolean | undefined): void {
  shares.drawn += 1;
  if (isValid) shares.valid += 1;
  if (!isValid || isAccepted === undefined) return;
  shares.judged += 1;
  if (isAccepted) shares.accepted += 1;
}

async function putScenarios(scene: Scene, dice: Dice, project: Project): Promise<void> {
  const isValid = dice.often(validPercent);
  const drawn = Array.from({ length: 1 + dice.below(2) }, () => sample(dice, isValid ? scenarios : brokenScenarios));
  const isForAll = scene.isAlone && dice.often(2);
  // Those before it may still answer what is under way.
  const odd = isForAll ? scene.forAll : project;
  odd.isOdd = true;
  odd.isBroken ||= /"connection":"(?:reset|close|hang|truncate|drip)"/.test(JSON.stringify(drawn));
  const path = isForAll ? '/_sandbox/server-scenarios' : control(project, '/scenarios');
  const { status } = await scene.client.ask({ method: 'PUT', path, body: { scenarios: drawn } });
  count(scene.tally.scenarios, isValid, status === 200);
  for (let left = 3; left > 0; left -= 1) await sendRequest(scene, dice, project);
}

async function keepScenario({ client }: Scene, dice: Dice): Promise<void> {
  const scenario = { ...sample(dice, scenarios), name: 'one' };
  const path = '/_sandbox/scenarios/one';
  await client.ask({ method: 'PUT', path, body: scenario });
  await client.ask({ method: 'GET', path });
  if (dice.often(30)) await client.ask({ method: 'DELETE', path });
}

async function look({ client }: Scene, dice: Dice, project: Project): Promise<void> {
  await client.ask({ method: dice.often(10) ? 'HEAD' : 'GET', path: drawView(dice, project.id) });
  const list = await client.ask({ method: 'GET', path: control(project, '/requests?limit=1000&bodies=false') });
  const { items = [] } = JSON.parse(list.text) as { items?: { id: string }[] };
  const latest = items.at(-1)?.id;
  if (latest === undefined) return;
  await client.ask({ method: 'GET', path: control(project, `/requests/${latest}`) });
  if (dice.often(20)) await client.ask({ method: 'GET', path: `/_sandbox/requests/${dice.of(items).id}` });
}

async function moveClock({ client }: Scene, dice: Dice, project: Project): Promise<void> {
  const nowMs = Date.UTC(2026, 2, 2) + dice.below(10 ** 9);
  const now = new Date(nowMs).toISOString();
  const rate = dice.of([0.1, 20, 1000, 5000, '20x']);
  const clock = dice.of([{ mode: 'frozen' }, { mode: 'real' }, { mode: 'real', rate }, { mode: 'frozen', now }]);
  await client.ask({ method: 'PUT', path: control(project, '/clock'), body: clock });
  const body = dice.of([{ by: '2s' }, { by: '1d' }, { until: 'idle' }, { to: '2026-03-02T00:00:00Z' }, {}]);
  await client.ask({ method: 'POST', path: control(project, '/clock/advance'), body });
}

async function putEndpoint({ client, url }: Scene, dice: Dice, project: Project): Promise<void> {
  const path = control(project, '/callback-endpoint');
  const own = `${url}/nowhere`;
  await client.ask(
    dice.of([
      { method: 'PUT', path, body: { url: own } },
      { method: 'PUT', path, body: { url: 'http://127.0.0.1:1/' } },
      { method: 'PUT', path, body: { url: dice.of(oddTexts) } },
      { method: 'PATCH', path, body: { disabled: dice.often(50) } },
      { method: 'DELETE', path },
    ]),
  );
}

/** What is given is taken again, by the same project or another. */
async function restore({ client }: Scene, dice: Dice, project: Project): Promise<void> {
  const { text } = await client.ask({ method: 'GET', path: control(project, '/snapshot') });
  await client.ask({ method: 'PUT', path: control(project, '/snapshot'), body: text });
  if (dice.often(30))
    await client.ask({
      method: 'PUT',
      path: control(project, '/snapshot'),
      body: dice.of([{}, [], { version: 1, jobs: [null] }]),
    });
}

async function reset({ client, isAlone }: Scene, dice: Dice, project: Project): Promise<void> {
  await client.ask({ method: 'POST', path: isAlone && dice.often(5) ? '/_sandbox/reset' : control(project, '/reset') });
  Object.assign(project, { isOdd: false, isBroken: false, isPrepared: false });
}

async function redeliver({ client }: Scene, dice: Dice, project: Project): Promise<void> {
  const { text } = await client.ask({ method: 'GET', path: control(project, '/callbacks') });
  const { items = [] } = JSON.parse(text) as { items?: { id: string }[] };
  const id = items.length > 0 ? dice.of(items).id : 'msg_none';
  await client.ask({ method: 'POST', path: control(project, `/callbacks/${id}/redeliver`) });
  await client.ask({ method: 'GET', path: control(project, `/callbacks/${id}`) });
}

/** Follows the events, or is the listener, for a moment, and leaves in the middle. */
async function follow({ client }: Scene, dice: Dice, project: Project): Promise<void> {
  const query = dice.of(['', `?project=${project.id}`, '?records=true']);
  const headers = dice.often(30) ? { 'last-event-id': dice.of(['1', 'x-1', '']) } : {};
  const path = dice.often(30) ? control(project, '/listener?takeover=true') : `/_sandbox/events${query}`;
  await client.ask({ method: 'GET', path, headers, mayFail: () => true, leaveAfterMs: 20 });
}

const heads: readonly string[] = [
  'GARBAGE\r\n\r\n',
  'GET /%ff%zz HTTP/1.1\r\nhost: localhost\r\n\r\n',
  'GET http://[/_sandbox HTTP/1.1\r\nhost: localhost\r\n\r\n',
  'POST /sync/projects/p/jobs HTTP/1.1\r\nhost: localhost\r\napikey: sandbox-key\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"id"',
  'POST /sync/projects/p/jobs HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n',
  'CONNECT a:1 HTTP/1.1\r\nhost: localhost\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nhost: localhost\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
];

/** Sends what is no request, or half of one, and leaves. */
function sendOddly({ url, isAlone }: Scene, dice: Dice): Promise<void> {
  if (!isAlone) return Promise.resolve();
  return new Promise((done) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
      socket.write(dice.of(heads));
      setTimeout(() => socket.resetAndDestroy(), 10);
    });
    socket.on('error', () => undefined).on('close', () => done());
    socket.resume();
  });
}

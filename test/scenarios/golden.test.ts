/** Runs the cases of `golden/` over HTTP. `golden/README.txt` describes the format. */
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { shippedProfile } from '../../src/openapi/profile/profile.ts';
import { verify } from '../flows/callbacks/disturbance-steps.ts';
import { type Received, useReceiver } from '../harness/receiver.ts';
import { type TestSandbox, useSandbox } from '../harness/sandbox.ts';
import { createSwiftWall } from '../harness/swift-wall.ts';
import { parseCase, readGolden, type Step } from './golden-case.ts';
import { type Sighting, sight } from './golden-request.ts';

const startsAt = '2026-03-02T09:00:00.000Z';
const cases = readGolden().map(({ name, text }) => {
  const { about, steps } = parseCase(text);
  const [first] = steps;
  const server = first?.kind === 'scenarios' && first.scope === 'server' ? first.scenarios : [];
  return { name, about, steps, server: server[0] };
});

/** Latencies and slow bodies take no real time; a callback still has its 10 seconds. */
const wall = createSwiftWall(5000);
const receiver = useReceiver();

describe('golden', () => {
  const sandbox = useSandbox({ clock: startsAt }, shippedProfile, wall);
  test.each(cases.filter(({ server }) => server === undefined))('$name: $about', async ({ name, steps }) => {
    await play(sandbox, name, steps);
  });
});

describe.each(cases.filter(({ server }) => server !== undefined))(
  'golden, for all projects',
  ({ name, about, steps, server }) => {
    const option = typeof server === 'string' ? { scenarios: [server] } : { scenarioYaml: JSON.stringify(server) };
    const sandbox = useSandbox({ clock: startsAt, ...option }, shippedProfile, wall);
    test(`${name}: ${about}`, () => play(sandbox, name, steps));
  },
);

async function play(sandbox: TestSandbox, project: string, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if (step.kind === 'scenarios') await switchOn(sandbox, project, step);
    else if (step.kind === 'reset') await sandbox.control('POST', `/projects/${project}/reset`);
    else if (step.kind === 'receiver')
      await sandbox.control('PUT', `/projects/${project}/callback-endpoint`, { url: receiver.url() });
    else {
      const seen =
        step.kind === 'request' ? await send(sandbox, project, step) : await advance(sandbox, project, step.by);
      const kinds = [...new Set(step.expected.map(kindOf))];
      const found = await Promise.all(kinds.map((kind) => seen(kind)));
      expect(found.flat(), `line ${step.line}`).toEqual(step.expected);
    }
  }
}

async function switchOn(
  sandbox: TestSandbox,
  project: string,
  step: Extract<Step, { kind: 'scenarios' }>,
): Promise<void> {
  if (step.scope === 'server') return;
  if (step.scope === 'project') {
    const answer = await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: step.scenarios });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return;
  }
  for (const scenario of step.scenarios as { name: string }[]) {
    expect((await sandbox.control('PUT', `/scenarios/${scenario.name}`, scenario)).status).toBe(200);
  }
}

/** Returns the actual results for a kind of expected result, in the format of the cases. */
type Seen = (kind: string) => Promise<readonly string[]>;

/** Returns the kind of an expected result. */
function kindOf(expected: string): string {
  const known =
    /^(status|message|failed|accepted|callback|received|states of callbacks|took|body|connection|expectations|unmet|(?:header|stored) \S+(?=:)|why [^:]+)/.exec(
      expected,
    );
  if (!known?.[1]) throw new Error(`unknown expected result: => ${expected}`);
  return known[1] === 'took' ? expected : known[1];
}

interface Failed {
  readonly id: string;
  readonly reason: string;
}

const orNone = (lines: readonly string[], kind: string): readonly string[] =>
  lines.length > 0 ? lines : [`${kind}: none`];

async function send(sandbox: TestSandbox, project: string, step: Extract<Step, { kind: 'request' }>): Promise<Seen> {
  const headers = { apikey: 'sandbox-key', 'content-type': 'application/json', ...step.headers };
  const url = sandbox.url() + step.path.replace('{project}', project);
  const target = decodeURIComponent(url.split('/projects/')[1]?.split('/')[0] ?? '');
  const givesUpOn = step.expected.some((one) => /^connection: .*hang/.test(one)) ? ['hang'] : [];
  const seen: Sighting[] = [];
  for (let n = 1; n <= step.times; n += 1) {
    const body = JSON.stringify(parse(step.body.replaceAll('{n}', String(n))));
    seen.push(await sight(sandbox, target, url, { method: step.method, headers, body }, givesUpOn));
  }
  const answer = seen.at(-1) as Sighting;
  const { text, entry } = answer;
  const body = (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, unknown>;

  return async (kind) => toLine(kind) ?? toBodyLine(kind, text, body) ?? state(sandbox, target, kind);

  function toLine(kind: string): readonly string[] | undefined {
    if (kind === 'status') return [`status: ${seen.map(({ status }) => status).join(' ')}`];
    if (kind === 'connection') return [`connection: ${seen.map(({ connection }) => connection).join(' ')}`];
    if (kind.startsWith('took'))
      return [entry.durationMs >= Number(/\d+/.exec(kind)?.[0]) ? kind : `took ${entry.durationMs} ms`];
    if (kind.startsWith('header ')) return [`${kind}: ${answer.headers.get(kind.slice(7)) ?? 'none'}`];
    return kind.startsWith('why ') ? toWhys(entry.rules, kind.slice(4)) : undefined;
  }
}

function toBodyLine(kind: string, text: string, body: Record<string, unknown>): readonly string[] | undefined {
  if (kind === 'message') return [`message: ${String(body['message'])}`];
  if (kind === 'body') return [`body: ${text}`];
  if (kind === 'accepted') return [`accepted: ${toIds(body['jobs'] ?? body['orders'], 'orderNumber')}`];
  if (kind !== 'failed') return undefined;
  const failed = (body['failed'] ?? []) as Failed[];
  return orNone(
    failed.map(({ id, reason }) => `failed: ${id}: ${reason}`),
    kind,
  );
}

async function advance(sandbox: TestSandbox, project: string, by: string | undefined): Promise<Seen> {
  await sandbox.advance(project, by);
  return (kind) => state(sandbox, project, kind);
}

/** Returns the callbacks of a project with the time since the start, or the ids of its records. */
async function state(sandbox: TestSandbox, project: string, kind: string): Promise<readonly string[]> {
  if (kind.startsWith('stored ')) return [`${kind}: ${toIds(await sandbox.items(project, kind.slice(7)), 'id')}`];
  if (kind === 'expectations' || kind === 'unmet') return toJudged(sandbox, project, kind);
  if (kind === 'received') return [`received: ${receiver.received.map(toTold).join(', ') || 'none'}`];
  const callbacks = (await sandbox.items(project, 'callbacks')) as unknown as {
    readonly type: string;
    readonly state: string;
    readonly attempts: { readonly at: string }[];
    readonly body: { readonly data: { readonly failed: Failed[] } };
  }[];
  if (kind === 'states of callbacks') return [`${kind}: ${callbacks.map((one) => one.state).join(', ') || 'none'}`];
  const sent = callbacks.filter(({ attempts }) => attempts.length > 0);
  const at = (one: (typeof sent)[number]): number => Date.parse(one.attempts[0]?.at ?? '') - Date.parse(startsAt);
  const lines = sent
    .toSorted((a, b) => at(a) - at(b))
    .map((one) => {
      const failed = one.body.data.failed.map(({ id, reason }) => `${id}: ${reason}`);
      return `callback: ${at(one) / 1000} s: ${one.type}: ${failed.join(' · ')}`;
    });
  return orNone(lines, 'callback');
}

/** Returns whether all expectations of the active scenarios are met, or those that are not. */
async function toJudged(sandbox: TestSandbox, project: string, kind: string): Promise<readonly string[]> {
  const { met, items } = (await sandbox.control('GET', `/projects/${project}/expectations`)).body;
  if (kind === 'expectations') return [`expectations: ${met ? 'met' : 'not met'}`];
  const unmet = (items as { readonly met: boolean; readonly why: string }[]).filter((one) => !one.met);
  return orNone(
    unmet.map(({ why }) => `unmet: ${why}`),
    kind,
  );
}

/** Returns the first entry that a callback reports, and why a verifying library rejects the callback. */
function toTold(one: Received): string {
  const told = one.body.endsWith('}') ? (JSON.parse(one.body).data.failed[0].id as string) : 'no JSON';
  const said = verify(one);
  return said === 'verified' ? told : `${told} (${said})`;
}

/** Returns the explanations of all rules with this name, in order of precedence. */
function toWhys(rules: readonly { rule: string; scenario: string; why: string }[], named: string): readonly string[] {
  const [scenario, rule] = named.split(' / ');
  return rules.filter((one) => one.scenario === scenario && one.rule === rule).map(({ why }) => `why ${named}: ${why}`);
}

function toIds(records: unknown, key: string): string {
  return ((records ?? []) as Record<string, string>[]).map((record) => record[key]).join(', ') || 'none';
}

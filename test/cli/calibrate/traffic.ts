/** Lets a made-up API serve random requests, and writes its traffic as a client sees it. */
import { PlaySandbox } from '../../../src/cli/calibrate/sandbox.ts';
import type { AppliedProfile } from '../../../src/config/config-files.ts';
import type { Json } from '../../../src/lib/json.ts';
import { buildRequest } from '../../../src/openapi/build-request.ts';
import { type Contract, createContract } from '../../../src/openapi/contract.ts';
import type { OperationId } from '../../../src/operations/index.ts';
import { createDice } from '../../model/dice.ts';
import { drawStep } from '../../model/draws.ts';
import { documented } from '../../model/operations.ts';

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const beganMs = Date.parse('2026-03-02T09:30:00Z');
const wrongKeys = ['no-such-key', 'foreign-key', undefined];

/** Returns an archive of random requests to an API with this profile. */
export async function recordTraffic(
  applied: AppliedProfile,
  { seed, count }: { readonly seed: number; readonly count: number },
): Promise<object> {
  const dice = createDice(seed);
  const contract = createContract(applied.document);
  const sandbox = new PlaySandbox(applied, contract, beganMs);
  const entries: object[] = [];
  for (let n = 0; n < count; n += 1) {
    const step = drawStep(dice, dice.of(['acme', 'umbrella']));
    const sent = toSent(contract, step);
    const key = dice.often(94) ? 'sandbox-key' : dice.of(wrongKeys);
    const headers = { ...sent.headers, ...(key !== undefined && { apikey: key }) };
    const body = dice.often(3) ? sent.body.slice(0, -1) : sent.body;
    const atMs = beganMs + n * 137;
    const project = /acme|umbrella/.exec(`${sent.url} ${JSON.stringify(headers)} ${body}`)?.[0] ?? '';
    const reply = await sandbox.send({
      ...sent,
      headers: { ...headers, host: 'api.example' },
      body,
      project,
      atMs,
    });
    entries.push(toEntry({ ...sent, headers, body }, reply, new Date(atMs).toISOString()));
  }
  sandbox.dispose();
  return { log: { version: '1.2', creator: { name: 'test', version: '1' }, entries } };
}

/** Converts a request at the default path to one at the API's own. */
function toSent(contract: Contract, step: { operation: OperationId; path: string; body: unknown }): Sent {
  const routed = contract.operations.get(step.operation);
  if (!routed) throw new Error(`no operation ${step.operation}`);
  const template = documented[step.operation][1].split('/');
  const values = step.path.split('/');
  const params = Object.fromEntries(
    template.flatMap((part, index) => {
      const name = /^\{(\w+)\}$/.exec(part)?.[1];
      return name === undefined ? [] : [[name, decodeURIComponent(values[index] ?? '')]];
    }),
  );
  const body = typeof step.body === 'object' && step.body !== null && !Array.isArray(step.body) ? step.body : {};
  const built = buildRequest(routed, params, body);
  return {
    ...built,
    headers: { 'content-type': 'application/json', ...built.headers },
    body: JSON.stringify(body === step.body ? built.body : step.body),
  };
}

function toEntry(sent: Sent, reply: { status: number; headers: object; body: string | undefined }, at: string): Json {
  const toPairs = (headers: object) => Object.entries(headers).map(([name, value]) => ({ name, value }));
  return {
    startedDateTime: at,
    time: 1,
    request: {
      method: sent.method,
      url: `https://api.example${sent.url}`,
      headers: toPairs(sent.headers),
      postData: { mimeType: 'application/json', text: sent.body },
    },
    response: {
      status: reply.status,
      headers: toPairs(reply.headers),
      content: { mimeType: 'application/json', text: reply.body ?? '' },
    },
  };
}

/** Receives the callbacks of all projects on loopback, verifies each, and enters it in the ledger of its life. */
import { Webhook } from 'standardwebhooks';
import { type HttpReceiver, type Received, startReceiver } from '../rig/receiver.ts';
import type { Findings } from './findings.ts';
import type { Arrival } from './ledger.ts';
import type { Life } from './life.ts';

export interface Receiver extends Pick<HttpReceiver, 'url' | 'close'> {
  /** Accepts callbacks of this life from now on. */
  add(life: Life): void;
  /** Returns the number of received callbacks. */
  count(): number;
  /** Returns the number of rejected callbacks. */
  refused(): number;
}

/** A callback that was sent before a reset may still be in this process's buffers. */
const graceMs = 1000;

export async function receiveCallbacks(findings: Findings): Promise<Receiver> {
  const lives = new Map<string, Life>();
  let count = 0;
  let refused = 0;
  function accept(life: Life, { headers, body: raw }: Received): number {
    count += 1;
    const id = String(headers['webhook-id']);
    try {
      new Webhook(life.secret).verify(raw, headers as Record<string, string>);
    } catch (error) {
      findings.found('signatures', () => `${life.key} ${id}: ${(error as Error).message}`);
    }
    const sinceReset = performance.now() - (life.endedAt ?? Number.POSITIVE_INFINITY);
    if (sinceReset > graceMs)
      findings.found('afterReset', () => `${life.key} ${id}: arrived ${Math.round(sinceReset)} ms after the reset`);
    if (life.endedAt !== undefined) return 204;
    const arrival = readArrival(id, raw);
    if (!raw.includes(`"projectId":"${life.project}"`))
      findings.found('unasked', () => `${life.key} ${id}: of another project, ${raw.slice(0, 200)}`);
    const isRefused = life.story.isRefusing && life.ledger.account().timesOf(id) === 0 && /[0-7]$/.test(id);
    life.ledger.received(arrival, isRefused);
    if (isRefused) refused += 1;
    return isRefused ? 503 : 204;
  }

  const { url, close } = await startReceiver((received) => {
    const life = lives.get(received.path.slice(1));
    if (life) return accept(life, received);
    findings.found('unasked', () => `a callback to ${received.path}`);
    return 204;
  });
  return {
    url,
    close,
    add: (life) => lives.set(life.key, life),
    count: () => count,
    refused: () => refused,
  };
}

/** Returns what the ledger needs from a callback's body. */
export function readArrival(id: string, raw: string): Arrival {
  const { timestamp, data } = JSON.parse(raw) as {
    readonly timestamp: string;
    readonly data: { readonly requestId: string; readonly failed: readonly { readonly id: string }[] };
  };
  return { id, requestId: data.requestId, ids: data.failed.map((each) => each.id), atMs: Date.parse(timestamp) };
}

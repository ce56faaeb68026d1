/** Asks the fuzzed server, and judges what it answers. */
import { Pool } from 'undici';
import controlSource from '../../spec/control.yaml';
import type { ApiDocument } from '../../src/openapi/api-document.ts';
import { createContract } from '../../src/openapi/contract.ts';
import { checkResponse } from '../harness/check-response.ts';

/** Why a run fails. */
export class Found extends Error {}

export interface Answer {
  /** 0 where there was none. */
  readonly status: number;
  readonly text: string;
}

/** A request, and what is allowed to come of it. */
export interface Ask {
  readonly method: string;
  readonly path: string;
  /** Sent as JSON, a string as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether a scenario may have answered with 5xx, or broken the connection: asked when that has happened. */
  readonly mayFail?: () => boolean;
  /** The client leaves then, and is content with what it has. */
  readonly leaveAfterMs?: number;
}

export interface Client {
  ask(ask: Ask): Promise<Answer>;
  /** How many requests were answered. */
  count(): number;
  close(): Promise<void>;
}

/** How long an answer may take. */
const maxMs = 30_000;

/** Longer answers are not held against the document: that takes longer than all the rest. */
const maxChecked = 200_000;

export function createClient(url: string, connections: number): Client {
  // Gives up an idle connection before the server does, also if one of them is late by seconds.
  const kept = { keepAliveTimeout: 2000, keepAliveMaxTimeout: 2000 };
  const pool = new Pool(url, { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0, ...kept });
  const contract = createContract(controlSource as ApiDocument);
  let answered = 0;

  async function send({
    method,
    path,
    body,
    headers,
    leaveAfterMs,
  }: Ask): Promise<Answer & { readonly error?: string }> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const type = text === undefined ? {} : { 'content-type': 'application/json' };
    try {
      const answer = await pool.request({
        ...{ method: method as 'GET', path, body: text ?? null },
        headers: { apikey: 'sandbox-key', ...type, ...headers },
        signal: AbortSignal.timeout(leaveAfterMs ?? maxMs),
      });
      return { status: answer.statusCode, text: await answer.body.text() };
    } catch (error) {
      const { name, message } = error as Error;
      const hasLeft = name === 'TimeoutError' && leaveAfterMs !== undefined;
      return { status: 0, text: '', ...(!hasLeft && { error: message }) };
    }
  }

  return {
    count: () => answered,
    close: () => pool.destroy(),
    ask: async (ask) => {
      const { error, ...answer } = await send(ask);
      answered += 1;
      const wrong = error ? (ask.mayFail?.() ? undefined : error) : judge(ask, answer);
      if (wrong) throw new Found(`${wrong}\n${toCurl(ask)}\n${answer.status} ${answer.text.slice(0, 2000)}`);
      return answer;
    },
  };

  function judge({ method, path, mayFail }: Ask, { status, text }: Answer): string | undefined {
    // A quota may be reached.
    if (status >= 500 && status !== 507 && (!mayFail?.() || text.includes('its log tells more'))) {
      return 'the server failed';
    }
    const match = contract.match(method === 'HEAD' ? 'GET' : method, path);
    if (!path.startsWith('/_sandbox') || !match.found || method === 'HEAD' || status === 0 || text.length > maxChecked)
      return undefined;
    if (status === 507 || status === 429) return undefined;
    return checkResponse(contract, match.operation.id, status, toValue(text));
  }
}

function toValue(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

function toCurl({ method, path, body, headers }: Ask): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return `${method} ${path} ${JSON.stringify(headers ?? {})}\n${text?.slice(0, 5000) ?? ''}`;
}

/** Asks the fuzzed server, and judges what it answers. */
import { Agent, request } from 'node:http';
import controlSource from '../../spec/control.yaml';
import { createContract } from '../../src/openapi/contract.ts';
import type { ApiDocument } from '../../src/openapi/document.ts';
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
  close(): void;
}

/** How long an answer may take. */
const maxMs = 30_000;

/** Longer answers are not held against the document: that takes longer than all the rest. */
const maxChecked = 200_000;

export function createClient(url: string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const contract = createContract(controlSource as ApiDocument);
  let answered = 0;

  function send(ask: Ask): Promise<Answer & { readonly error?: string }> {
    const { method, path, body, headers, leaveAfterMs } = ask;
    const { hostname, port } = new URL(url);
    const text = typeof body === 'string' ? body : body === undefined ? undefined : JSON.stringify(body);
    const length = text !== undefined && {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    };
    return new Promise((resolve) => {
      const asked = request({
        hostname,
        port,
        path,
        method,
        agent,
        headers: { apikey: 'sandbox-key', ...length, ...headers },
      });
      const leave = (error: string): void => {
        resolve({ status: 0, text: '', error });
        asked.destroy();
      };
      const timer = setTimeout(
        () => leave(leaveAfterMs === undefined ? `no answer in ${maxMs} ms` : ''),
        leaveAfterMs ?? maxMs,
      );
      asked.on('error', (error) => {
        clearTimeout(timer);
        // The server may close an idle connection in the moment in which it is used again.
        if (asked.reusedSocket && !ask.mayFail?.()) resolve(send(ask));
        else leave(error.message);
      });
      asked.on('response', (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', (error) => leave(error.message));
        answer.on('end', () => {
          clearTimeout(timer);
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
        });
      });
      asked.end(text);
    });
  }

  return {
    count: () => answered,
    close: () => agent.destroy(),
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

/** Lets a history happen in a project of a running sandbox, over HTTP, and takes its recordings. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { api } from '../../openapi/requests.ts';
import type { Ask, Sent, Step } from './history.ts';
import { secrets } from './history.ts';

/** Where a history happens. */
export interface Stage {
  readonly url: string;
  readonly receiverUrl: string;
  readonly project: string;
}

/** Long enough for an answer on this machine; hanging ones are given up then. */
const patienceMs = 250;

/** Lets it happen; gives back the texts of the recordings taken on the way, and of the one at the end. */
export async function live({ url, receiverUrl, project }: Stage, history: readonly Step[]): Promise<readonly string[]> {
  const recordings: string[] = [];
  const underWay: Promise<unknown>[] = [];
  let kept: string | undefined;

  async function control(method: string, path: string, body?: unknown): Promise<string> {
    const sent = typeof body === 'string' ? body : JSON.stringify(body);
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/_sandbox${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: sent }),
    });
    const text = await answer.text();
    // Nothing here is wrong in itself; the state of the clock, or of the project, may forbid it.
    if (answer.status >= 400 && answer.status !== 409) throw new Error(`${method} ${path}: ${text}`);
    return text;
  }
  const own = (path: string) => `/projects/${project}${path}`;
  const record = async () => recordings.push(await control('GET', own('/recording')));

  async function take(step: Step): Promise<unknown> {
    switch (step.kind) {
      case 'ask':
        return Promise.all(step.together.map((ask) => send(url, project, ask)));
      case 'clock': {
        const now = Date.parse(JSON.parse(await control('GET', own('/clock'))).now) + (step.aheadMs ?? 0);
        const moved = step.aheadMs === undefined ? {} : { now: new Date(now).toISOString() };
        return control('PUT', own('/clock'), { ...step.body, ...moved });
      }
      case 'advance': {
        const advancing = control('POST', own('/clock/advance'), step.body);
        underWay.push(advancing);
        return step.isWaitedFor ? advancing : record();
      }
      case 'keep':
        kept = await control('GET', own('/snapshot'));
        return undefined;
      case 'restore':
        return kept && control('PUT', own('/snapshot'), withSecrets(kept));
      case 'forget-endpoint':
        return control('DELETE', own('/callback-endpoint'));
      case 'endpoint': {
        const { disabled, query } = step;
        const endpoint = { url: `${receiverUrl}/${query}`, secret: secrets.callbackSecret, disabled };
        return control('PUT', own('/callback-endpoint'), endpoint);
      }
      case 'redeliver': {
        const { items } = JSON.parse(await control('GET', own('/callbacks')));
        return items[0] && control('POST', own(`/callbacks/${items[0].id}/redeliver`));
      }
      case 'record':
        return record();
      case 'reset':
        return control('POST', own('/reset'));
      case 'library':
        return control('PUT', '/scenarios/of-history', { name: 'of-history', rules: step.rules });
      case 'server-scenarios':
        return control('PUT', '/server-scenarios', { scenarios: [{ name: 'for-all', rules: forAll(step) }] });
      case 'scenarios':
        return control('PUT', own('/scenarios'), { scenarios: [{ name: 'own', rules: step.rules }] });
      case 'thousand':
        return send(url, project, thousand);
      default:
        return step satisfies never;
    }
  }

  for (const step of history) await take(step);
  await Promise.all(underWay);
  await record();
  return recordings;
}

/** Counts over all projects, also over those of earlier histories. */
function forAll({ rules, isServerWide }: Extract<Step, { rules: unknown }>): readonly object[] {
  return isServerWide ? rules.map((rule) => ({ ...rule, scope: 'server' })) : rules;
}

/** What somebody may write into a snapshot by hand. */
function withSecrets(snapshot: string): string {
  const value = JSON.parse(snapshot);
  for (const user of value.users) user.password = secrets.password;
  return JSON.stringify(value);
}

const thousand: Ask = {
  operationId: 'asyncImportJobs',
  jobId: '',
  username: '',
  headers: {},
  sent: {
    as: 'json',
    text: JSON.stringify({
      jobs: Array.from({ length: 1000 }, (_, n) => ({ id: n % 7 === 0 ? `FAIL-${n}` : `J-${n}` })),
    }),
  },
};

/** Sends a request; what becomes of its answer is the recording's concern. */
async function send(url: string, project: string, { operationId, jobId, username, sent, headers }: Ask): Promise<void> {
  const operation = api.operations.get(operationId);
  const params: Record<string, string> = { projectId: project, subProjectId: 'north', jobId, orderId: jobId, username };
  const path = (operation?.path ?? '').replace(/\{(.+?)\}/g, (_all, name) => encodeURIComponent(params[name] ?? ''));
  const method = operation?.method ?? '';
  const query = sent.text.length % 5 === 0 ? `?apikey=${secrets.apiKey}&x=1` : '';
  const all = { apikey: 'sandbox-key', ...headers, ...toHeaders(sent) };
  if (sent.as === 'cut' || sent.as === 'large') return sendPart(url, `${method} ${path}${query}`, all, sent);
  const body = sent.as === 'bytes' ? Buffer.concat([Buffer.from(sent.text), Buffer.from([0xff])]) : sent.text;
  const signal = AbortSignal.timeout(patienceMs);
  await fetch(url + path + query, { method, headers: all, body, signal })
    .then((answer) => answer.text())
    .catch(() => undefined);
}

function toHeaders({ as }: Sent): Record<string, string> {
  if (as === 'encoding') return { 'content-type': 'application/json', 'content-encoding': 'compress' };
  return { 'content-type': as === 'type' ? 'text/plain' : 'application/json' };
}

/** Sends the head and a part of the body, and leaves: at once, or with the answer that comes before the rest. */
async function sendPart(url: string, line: string, headers: Record<string, string>, { as, text }: Sent): Promise<void> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  const length = as === 'large' ? 20_000_000 : Buffer.byteLength(text) + 100;
  const head = Object.entries({ host, ...headers, 'content-length': String(length) });
  socket.write(`${line} HTTP/1.1\r\n${head.map((pair) => pair.join(': ')).join('\r\n')}\r\n\r\n${text}`);
  if (as === 'large') await once(socket, 'data');
  else socket.end();
  socket.destroySoon();
  await once(socket, 'close');
}

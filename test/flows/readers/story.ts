/** One story with a request of every outcome, for tests that compare what the sandbox says about it afterwards. */
import { type ClientRequest, request } from 'node:http';
import { expect } from 'vitest';
import type { Receiver } from '../../harness/receiver.ts';

/** What the client saw of a request. A connection that broke before a status was received has the status 0. */
export interface Told {
  readonly id: string | undefined;
  readonly status: number;
  readonly body: string;
}

/** The sandbox of a story, with the keys `sandbox-key`, and `other-key` for the project `other`, and frozen clocks. */
export interface Stage {
  readonly url: string;
  readonly receiver: Receiver;
}

export interface Story {
  /** Requests in the order in which they were sent and answered, except `slow`. */
  readonly told: readonly Told[];
  /** The request whose response was delayed, while the next one was answered. */
  readonly slow: Told;
  /** The journal before the project `gone` was reset. */
  readonly before: readonly Record<string, unknown>[];
  /** Ids that requests name, also of entries that failed. */
  readonly ids: readonly string[];
}

/** The project in which almost everything happens. */
export const main = 'story';
/** The project that is reset while a request is under way. */
export const gone = 'gone';

const whenStep = (step: string) => ({ where: { 'headers.x-step': step } });

/** Each rule has the name of the step on which it fires. */
const scenario = {
  name: 'story',
  rules: [
    { name: 'down', when: whenStep('down'), then: { respond: { status: 503 } } },
    { name: 'late', when: whenStep('late'), then: { respond: { status: 504 }, processed: true } },
    { name: 'refuse', when: { ...whenStep('refuse'), item: 2 }, then: { refuse: 'No truck' } },
    { name: 'fail', when: { ...whenStep('fail'), item: 2 }, then: { fail: 'Late', after: '2s' } },
    { name: 'slow', when: whenStep('slow'), then: { latency: '300ms' } },
    { name: 'endless', when: whenStep('endless'), then: { latency: '10m' } },
    { name: 'limit', when: whenStep('limit'), then: { limit: { requests: 1, per: '1m' } } },
    { name: 'drop', when: whenStep('drop'), then: { callback: { drop: true } } },
    { name: 'twice', when: whenStep('twice'), then: { callback: { copies: 2 } } },
    { name: 'drip', when: whenStep('drip'), then: { respond: { status: 500, body: '!' }, connection: 'drip' } },
    ...['reset', 'close', 'truncate'].map((name) => ({ name, when: whenStep(name), then: { connection: name } })),
    ...['reset', 'hang'].map((name) => ({
      name: `${name}-processed`,
      when: whenStep(`${name}-processed`),
      then: { connection: name, processed: true },
    })),
  ],
  expect: [{ requests: { min: 1 } }, { callbacks: { max: 100 } }],
};

/** Sends a request to the control API, and returns the body of its response. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of all kinds
export async function control(url: string, method: string, path: string, body?: unknown): Promise<any> {
  const response = await fetch(`${url}/_sandbox${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect(response.ok, `${method} ${path}: ${text}`).toBe(true);
  return text === '' || response.headers.get('content-type')?.startsWith('text/plain') ? text : JSON.parse(text);
}

interface Sending {
  readonly told: Promise<Told>;
  readonly request: ClientRequest;
}

interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  /** Does not send the rest of the body yet. */
  readonly isHalf?: boolean;
}

function send(url: string, path: string, body: unknown, { method = 'POST', headers, isHalf }: Sent = {}): Sending {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const sending = request(url + path, {
    method,
    headers: { apikey: 'sandbox-key', 'content-type': 'application/json', 'content-length': text.length, ...headers },
  });
  const told = new Promise<Told>((resolve) => {
    let seen: Told = { id: undefined, status: 0, body: '' };
    sending.on('response', (response) => {
      seen = { id: response.headers['x-request-id'] as string, status: response.statusCode ?? 0, body: '' };
      response.on('data', (chunk) => {
        seen = { ...seen, body: seen.body + chunk };
      });
      response.on('error', () => undefined);
      response.on('close', () => resolve(seen));
    });
    sending.on('error', () => resolve(seen));
  });
  if (isHalf) sending.write(text.slice(0, text.length / 2));
  else sending.end(text);
  return { told, request: sending };
}

const geoJson = { type: 'Point', coordinates: [13.4, 52.5] };
const jobs = (...ids: readonly string[]) => ({ jobs: ids.map((id) => ({ id })) });

/** Plays the story. Each request is in the journal before the next is sent, so that their order is no chance. */
export async function play({ url, receiver }: Stage): Promise<Story> {
  const told: Told[] = [];
  let expected = 0;
  const recorded = async (count = 1): Promise<void> => {
    expected += count;
    const query = `view=rows&limit=1&min=${expected}&await=20s`;
    expect(await control(url, 'GET', `/requests?${query}`)).toMatchObject({ satisfied: true });
  };
  const tell = async (path: string, body: unknown, sent: Sent = {}): Promise<void> => {
    const one = await send(url, path, body, sent).told;
    told.push(one);
    // An applied request is in the journal before its response is sent.
    if (one.status >= 200 && one.status < 300) expected += 1;
    else await recorded();
  };
  const step = (name: string, path: string, body: unknown) => tell(path, body, { headers: { 'x-step': name } });
  const isStored = async (project: string, id: string): Promise<boolean> =>
    (await control(url, 'GET', `/projects/${project}/jobs`)).items.some((job: { id: string }) => job.id === id);
  const advance = () => control(url, 'POST', `/projects/${main}/clock/advance`, { until: 'idle' });

  const batch = `/sync/projects/${main}/jobs/batch`;
  const imports = `/async/projects/${main}/jobs`;
  for (const project of [main, gone])
    await control(url, 'PUT', `/projects/${project}/scenarios`, { scenarios: [scenario] });
  await control(url, 'PUT', `/projects/${main}/callback-endpoint`, { url: receiver.url() });

  // Accepted, in whole or in part.
  await tell(batch, jobs('A', 'B'));
  await tell(batch, jobs('B', 'C'));
  await tell(batch, { jobs: [{ id: 'D', colour: 'red' }] });
  await tell(batch, { jobs: [{ id: 'A', status: 'DISPATCH' }] }, { method: 'PATCH' });
  await step('refuse', `/sync/projects/${main}/orders`, { orders: [{ id: 'O-1' }, { id: 'O-2' }] });
  await tell(`/projects/${main}/locations`, { deviceId: 'V', eventDateTime: '2026-03-02T09:30:00Z', geoJson });
  const user = { username: 'ana', password: 'Hidden!', type: 'driver', access: 'DRIVER', visibleBy: 'S-1' };
  await tell(`/projects/${main}/users`, user);

  // Refused after the project is known.
  await tell(batch, { jobs: 7 });
  await tell(batch, '{');
  await tell(batch, 'a,b', { headers: { 'content-type': 'text/csv' } });
  await tell(`/sync/projects/${main}/jobs`, { id: 'NOBODY', status: 'DISPATCH' }, { method: 'PATCH' });
  await tell(batch, jobs('E'), { headers: { 'x-sandbox-scenario': 'no-such' } });
  await step('limit', batch, jobs('F'));
  await step('limit', batch, jobs('G'));
  await step('down', batch, jobs('H'));
  await step('late', batch, jobs('I'));

  // Refused before: no key, an unknown key, the key of another project, an unknown path, another method, no project.
  await tell(batch, jobs('J'), { headers: { apikey: '' } });
  await tell(batch, jobs('J'), { headers: { apikey: 'wrong' } });
  await tell(batch, jobs('J'), { headers: { apikey: 'other-key' } });
  await tell(`/sync/projects/${main}/nowhere`, jobs('J'));
  await tell(batch, jobs('J'), { method: 'PUT' });
  await tell('/nowhere', {});

  // Broken connections.
  await step('reset', batch, jobs('K'));
  await step('close', batch, jobs('L'));
  await step('truncate', batch, jobs('M'));
  await step('drip', batch, jobs('N'));
  await step('reset-processed', batch, jobs('P'));
  const hanging = send(url, batch, jobs('Q'), { headers: { 'x-step': 'hang-processed' } });
  while (!(await isStored(main, 'Q')));
  hanging.request.destroy();
  told.push(await hanging.told);
  await recorded();

  // A delayed response, and one that overtakes it.
  const delayed = send(url, batch, jobs('R'), { headers: { 'x-step': 'slow' } });
  while (!(await isStored(main, 'R')));
  told.push(await send(url, batch, jobs('S')).told);
  const slow = await delayed.told;
  await recorded(2);

  // Asynchronous work, and callbacks: one with a retry, one dropped, one twice, one redelivered.
  receiver.answer(503);
  await tell(imports, jobs('T', 'FAIL-1'));
  await advance();
  await step('fail', imports, jobs('U', 'W'));
  await step('drop', imports, jobs('FAIL-2'));
  await step('twice', imports, jobs('FAIL-3'));
  await tell(`/async/projects/${main}/routes`, { routes: [{ id: 'X', jobs: [{ id: 'FAIL-4' }] }] });
  await tell(imports, jobs('A'));
  await advance();
  const [first] = (await control(url, 'GET', `/projects/${main}/callbacks`)).items;
  await control(url, 'POST', `/projects/${main}/callbacks/${first.id}/redeliver`);
  // The receiver is gone: the first callback fails, and the next ones are stored.
  receiver.answer(410);
  await tell(imports, jobs('FAIL-5'));
  await advance();
  await tell(imports, jobs('FAIL-6'));
  await advance();
  await tell(imports, jobs('Y'));

  // A project is reset while one request arrives, and the response of another is delayed.
  await tell(`/async/projects/${gone}/jobs`, jobs('A', 'FAIL-7'));
  const before = (await control(url, 'GET', '/requests?limit=1000')).items;
  const arriving = send(url, `/async/projects/${gone}/jobs`, jobs('FAIL-8'), { isHalf: true });
  const endless = send(url, `/sync/projects/${gone}/jobs/batch`, jobs('Z'), { headers: { 'x-step': 'endless' } });
  while (!(await isStored(gone, 'Z')));
  await control(url, 'POST', `/projects/${gone}/reset`);
  endless.request.destroy();
  await endless.told;
  arriving.request.end(JSON.stringify(jobs('FAIL-8')).slice(JSON.stringify(jobs('FAIL-8')).length / 2));
  expect(await arriving.told).toMatchObject({ status: 202 });
  expected -= 1;
  await tell(`/sync/projects/${gone}/jobs/batch`, jobs('A'));
  const ids = [...'ABCDEFGHIKLMNPQRSTUVWXY', 'O-1', 'O-2', 'ana', 'NOBODY'];
  return { told, slow, before, ids: [...ids, ...[1, 2, 3, 4, 5, 6].map((n) => `FAIL-${n}`)] };
}

/** Broken connections, seen by whoever is at the other end: what a rule asks for is what a client meets. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox();

type Fault = 'reset' | 'close' | 'hang' | 'truncate' | 'drip';
const faults: readonly Fault[] = ['reset', 'close', 'hang', 'truncate', 'drip'];

async function use(fault: Fault, processed: boolean, more: object = {}): Promise<string> {
  const project = freshProject();
  const rules = [{ name: 'broken', then: { connection: fault, ...(processed && { processed }), ...more } }];
  const answer = await sandbox.control('PUT', `/projects/${project}/scenarios`, {
    scenarios: [{ name: 'broken', rules }],
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return project;
}

const body = JSON.stringify({ jobs: [{ id: 'A' }] });
const pathOf = (project: string) => `/sync/projects/${project}/jobs/batch`;
const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' };

/** What a raw socket gets until the other side ends, and how it ended; gives up as soon as `enough` says so. */
async function ask(
  project: string,
  enough: (text: string) => boolean = () => false,
): Promise<{ text: string; end: string }> {
  const { hostname, port } = new URL(sandbox.url());
  const socket = connect(Number(port), hostname);
  let text = '';
  const end = new Promise<string>((resolve) => {
    socket.on('data', (bytes) => {
      text += bytes.toString();
      if (enough(text)) resolve('left');
    });
    socket.on('end', () => resolve('end'));
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
  });
  await once(socket, 'connect');
  const head = [
    'apikey: sandbox-key',
    'content-type: application/json',
    `content-length: ${body.length}`,
    'host: localhost',
    'connection: close',
  ];
  socket.write(`POST ${pathOf(project)} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${body}`);
  const ended = await end;
  socket.destroy();
  return { text, end: ended };
}

const lengthOf = (text: string): number => Number(/content-length: (\d+)/i.exec(text)?.[1]);
const bodyOf = (text: string): string => text.split('\r\n\r\n')[1] ?? '';

describe('a raw socket', () => {
  test('hang: no data until the project is reset', async () => {
    const project = await use('hang', false);
    const asked = ask(project);
    const { body: page } = await sandbox.control('GET', `/projects/${project}/requests?await=5s`);
    expect(page.satisfied).toBe(true);
    await sandbox.control('POST', `/projects/${project}/reset`);
    expect((await asked).text).toBe('');
  });

  test('drip ends at a reset of the project', async () => {
    const project = await use('drip', false);
    const asked = ask(project);
    await sandbox.control('GET', `/projects/${project}/requests?await=5s`);
    await sandbox.control('POST', `/projects/${project}/reset`);
    const { text } = await asked;
    expect(bodyOf(text).length).toBeLessThan(lengthOf(text) || Number.POSITIVE_INFINITY);
  });
});

describe.each([true, false])('processed: %s', (processed) => {
  test.each(faults)('%s: the request takes effect, and the journal has the fault', async (fault) => {
    // A short body drips in a moment.
    const project = await use(fault, processed, fault === 'drip' ? { respond: { status: 200, body: 'slow' } } : {});
    const giveUp = new AbortController();
    const asked = fetch(sandbox.url() + pathOf(project), { method: 'POST', headers, body, signal: giveUp.signal })
      .then((response) => response.text())
      .then(
        () => 'whole',
        () => 'broken',
      );
    const { body: page } = await sandbox.control('GET', `/projects/${project}/requests?await=5s`);
    if (fault === 'hang') giveUp.abort();
    expect(await asked).toBe(fault === 'drip' ? 'whole' : 'broken');
    expect(page.items).toHaveLength(1);
    expect(page.items[0]).toMatchObject({ fault, status: fault === 'truncate' || fault === 'drip' ? 200 : 0 });
    expect((await sandbox.items(project, 'jobs')).map(({ id }) => id)).toEqual(processed ? ['A'] : []);
  });
});

test.each([
  ['half of it', 'a'.repeat(100), 'a'.repeat(50)],
  ['bytes, not letters', 'ööö', 'ö\ufffd'],
  ['rounded down', 'abc', 'a'],
  ['none of one', 'a', ''],
])('a fault breaks the response of another rule: %s', async (_what, body, half) => {
  const project = await use('truncate', false, { respond: { status: 500, body } });
  const { text, end } = await ask(project);
  expect(text).toMatch(/^HTTP\/1.1 500/);
  expect([lengthOf(text), bodyOf(text), end]).toEqual([Buffer.byteLength(body), half, 'end']);
});

test('a truncated response without a body has its headers and ends', async () => {
  const { text, end } = await ask(await use('truncate', false, { respond: { status: 204 } }));
  expect(text).toMatch(/^HTTP\/1.1 204 No Content\r\n(?!.*content-length).*\r\n\r\n$/s);
  expect(end).toBe('end');
});

test('asynchronous: a request that was not processed is not applied later either', async () => {
  for (const processed of [true, false]) {
    const project = await use('close', processed);
    await sandbox.freeze(project);
    await fetch(`${sandbox.url()}/async/projects/${project}/jobs`, { method: 'POST', headers, body }).catch(
      () => undefined,
    );
    expect((await sandbox.advance(project)).processed).toBe(processed ? 1 : 0);
  }
});

test('a broken response counts in expectations by the status that was sent, or 0', async () => {
  const project = freshProject();
  const fault = (nth: number, connection: Fault) => ({ when: { request: { nth } }, then: { connection } });
  const rules = [fault(1, 'reset'), fault(2, 'truncate')];
  const expected = [{ requests: { status: 0 } }, { requests: { status: 200 } }];
  await sandbox.control('PUT', `/projects/${project}/scenarios`, {
    scenarios: [{ name: 'broken', rules, expect: expected }],
  });
  for (let n = 0; n < 3; n += 1) await ask(project);
  const { items } = (await sandbox.control('GET', `/projects/${project}/expectations`)).body;
  expect(items.map(({ count }: { count: number }) => count)).toEqual([1, 2]);
});

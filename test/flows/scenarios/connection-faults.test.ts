/** What is on the wire of a broken connection. Which faults take effect: test/scenarios/golden/effects.txt, catalog.test.ts. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox();

async function use(fault: 'hang' | 'truncate' | 'drip', more: object = {}): Promise<string> {
  const project = freshProject();
  const rules = [{ name: 'broken', then: { connection: fault, ...more } }];
  const answer = await sandbox.control('PUT', `/projects/${project}/scenarios`, {
    scenarios: [{ name: 'broken', rules }],
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return project;
}

const body = JSON.stringify({ jobs: [{ id: 'A' }] });
const pathOf = (project: string) => `/sync/projects/${project}/jobs/batch`;

/** What a raw socket gets until the other side ends, and how it ended. */
async function ask(project: string): Promise<{ text: string; end: string }> {
  const { hostname, port } = new URL(sandbox.url());
  const socket = connect(Number(port), hostname);
  let text = '';
  const end = new Promise<string>((resolve) => {
    socket.on('data', (bytes) => {
      text += bytes.toString();
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
    const project = await use('hang');
    const asked = ask(project);
    const { body: page } = await sandbox.control('GET', `/projects/${project}/requests?await=5s`);
    expect(page.satisfied).toBe(true);
    await sandbox.control('POST', `/projects/${project}/reset`);
    expect((await asked).text).toBe('');
  });

  test('drip ends at a reset of the project', async () => {
    const project = await use('drip');
    const asked = ask(project);
    await sandbox.control('GET', `/projects/${project}/requests?await=5s`);
    await sandbox.control('POST', `/projects/${project}/reset`);
    const { text } = await asked;
    expect(bodyOf(text).length).toBeLessThan(lengthOf(text) || Number.POSITIVE_INFINITY);
  });
});

test.each([
  ['half of it', 'a'.repeat(100), 'a'.repeat(50)],
  ['bytes, not letters', 'ööö', 'ö\ufffd'],
  ['rounded down', 'abc', 'a'],
  ['none of one', 'a', ''],
])('a fault breaks the response of another rule: %s', async (_what, body, half) => {
  const project = await use('truncate', { respond: { status: 500, body } });
  const { text, end } = await ask(project);
  expect(text).toMatch(/^HTTP\/1.1 500/);
  expect([lengthOf(text), bodyOf(text), end]).toEqual([Buffer.byteLength(body), half, 'end']);
});

test('a truncated response without a body has its headers and ends', async () => {
  const { text, end } = await ask(await use('truncate', { respond: { status: 204 } }));
  expect(text).toMatch(/^HTTP\/1.1 204 No Content\r\n(?!.*content-length).*\r\n\r\n$/s);
  expect(end).toBe('end');
});

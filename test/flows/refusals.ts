/** What the stories about refusals share: a project with something in it, requests byte by byte, and "nothing changed". */
import { request as httpRequest } from 'node:http';
import { expect } from 'vitest';
import { freshProject, type TestSandbox } from '../harness/sandbox.ts';

/** An answer as it came over the wire. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: {
    readonly message: string;
    readonly code: string;
    readonly errors?: readonly { path: string; message: string }[];
  };
}

/** A request with exactly these headers and, where there are chunks, a chunked body. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly chunks?: readonly Buffer[];
}

/** Sends what no client library would; `headers` come in place of the usual key and type. */
export function send(sandbox: TestSandbox, { method, path, headers, body, chunks }: WireRequest): Promise<Answer> {
  const own = headers ?? { apikey: 'sandbox-key', 'content-type': 'application/json' };
  const { hostname, port } = new URL(sandbox.url());
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    let isAnswered = false;
    const outgoing = httpRequest({ method, hostname, port, path, headers: { ...length, ...own } }, (response) => {
      isAnswered = true;
      const received: Buffer[] = [];
      response.on('error', reject);
      response.on('data', (chunk: Buffer) => received.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(received).toString();
        const answered = text === '' ? { message: '', code: '' } : (JSON.parse(text) as Answer['body']);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: answered });
      });
    });
    // The sandbox may answer before it has read all that is sent: what is then left to send may fail.
    outgoing.on('error', (error) => {
      if (!isAnswered) reject(error);
    });
    for (const chunk of chunks ?? []) outgoing.write(chunk);
    outgoing.end(body);
  });
}

/** A project with a job, an order and a pending instruction in it, so that a change could be seen. */
export async function projectWithRecords(sandbox: TestSandbox): Promise<string> {
  const project = freshProject();
  await sandbox.freeze(project);
  const job = { id: 'J-1', status: 'PENDING', address: { postcode: '4000' } };
  expect((await sandbox.api('POST', `/sync/projects/${project}/jobs`, job)).status).toBe(201);
  const orders = [{ id: 'O-1' }];
  expect((await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders })).status).toBe(200);
  expect((await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'J-2' }] })).status).toBe(202);
  return project;
}

/** All that a project holds, but for its journal. */
export async function stateOf(sandbox: TestSandbox, project: string): Promise<unknown> {
  const [overview, snapshot, callbacks] = await Promise.all([
    sandbox.control('GET', `/projects/${project}`),
    sandbox.control('GET', `/projects/${project}/snapshot`),
    sandbox.control('GET', `/projects/${project}/callbacks`),
  ]);
  const { requests: _journal, ...counts } = overview.body.counts as Record<string, number>;
  const { bytes: _withJournal, ...usage } = overview.body.usage as Record<string, number>;
  return { ...overview.body, counts, usage, snapshot: snapshot.body, callbacks: callbacks.body };
}

/** Sends, and holds that it was refused so, that the journal has it under its id, and that nothing else changed. */
export async function expectRefused(
  sandbox: TestSandbox,
  project: string,
  status: number,
  ask: () => Promise<Pick<Answer, 'status' | 'headers' | 'body'>>,
): Promise<Answer> {
  const before = await stateOf(sandbox, project);
  const answer = (await ask()) as Answer;
  expect(answer).toMatchObject({ status, body: { message: expect.stringMatching(/\S/) } });
  expect(Object.keys(answer.body).slice(0, 2)).toEqual(['message', 'code']);
  expect(Object.keys(answer.body).slice(2)).toEqual(answer.body.errors ? ['errors'] : []);
  expect(answer.body.errors?.length ?? 1).toBeGreaterThan(0);
  expect(answer.body.errors?.length ?? 1).toBeLessThanOrEqual(100);
  const { body: recorded } = await sandbox.control('GET', `/requests/${answer.headers['x-request-id']}`);
  expect(recorded).toMatchObject({ status, response: { body: expect.stringContaining(answer.body.code) } });
  expect(await stateOf(sandbox, project)).toEqual(before);
  return answer;
}

/**
 * The examples of the control API's document: requests work when sent, and ids and metrics look like real ones. That each
 * example fits its schema is checked by `npm run lint:documents`, and that responses do, by every test that gets one.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import controlSource from '../../spec/control.yaml';
import type { ApiDocument } from '../../src/openapi/api-document.ts';
import { createContract } from '../../src/openapi/contract.ts';
import { useReceiver } from '../harness/receiver.ts';
import { useSandbox } from '../harness/sandbox.ts';

const receiver = useReceiver();
const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });
const contract = createContract(controlSource as ApiDocument);

interface Media {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

type Content = Readonly<Record<string, Media>>;

interface Source {
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

/** Examples of a body as text or JSON, with their media type. */
function examplesIn(content: Content = {}): readonly { readonly type: string; readonly value: unknown }[] {
  return Object.entries(content).flatMap(([type, { example, examples = {} }]) =>
    [...(example === undefined ? [] : [example]), ...Object.values(examples).map(({ value }) => value)].map(
      (value) => ({ type, value }),
    ),
  );
}

const operations = [...contract.operations.values()].map(({ id, method, path, source }) => {
  const { requestBody, responses } = source as unknown as Source;
  const [status = '', response] = Object.entries(responses).find(([name]) => name.startsWith('2')) ?? [];
  return { id, method, path, status, bodies: examplesIn(requestBody?.content), answers: examplesIn(response?.content) };
});

const scenario = 'geocoder-rejects-third-job';

beforeAll(async () => {
  const stored = operations.find(({ id }) => id === 'putScenario')?.bodies[1]?.value;
  expect((await sandbox.control('PUT', `/scenarios/${scenario}`, stored)).status).toBe(200);
});

describe('a request example works', () => {
  // An attempt to answer must be under way: flows/callbacks/listener.test.ts.
  const left = ['login', 'putListenerAttempt'];
  const sent = operations.filter(({ bodies, id }) => bodies.length > 0 && !left.includes(id));
  test.each(sent.flatMap((one) => one.bodies.map((body, at) => [`${one.id} ${at}`, one, body, at] as const)))(
    '%s',
    async (_name, { id, method, path, status }, { type, value }, at) => {
      const project = `example-${id}-${at}`;
      if (id === 'patchCallbackEndpoint')
        await sandbox.control('PUT', `/projects/${project}/callback-endpoint`, { url: receiver.url() });
      if (id === 'forkProject')
        for (const now of ['05', '06', '07'])
          await sandbox.control('PUT', `/projects/${project}/clock`, {
            mode: 'frozen',
            now: `2030-01-${now}T00:00:00Z`,
          });
      const to = path.replace('/_sandbox', '').replace('{projectId}', project).replace('{name}', scenario);
      const { status: got, body } = await sandbox.control(method, to, value, { 'content-type': type });
      expect([got, body]).toEqual([Number(status), expect.anything()]);
    },
  );
});

test.each([
  ['id', /["' ](?!req_|msg_)[\da-f]{16}\b/g],
  ['time', /\d\dT\d\d:\d\d(:\d\d)?Z/g],
])('every %s in an example of a response is a real one in form', (_what, wrong) => {
  const all = operations.flatMap(({ id, answers }) =>
    [...JSON.stringify(answers).matchAll(wrong)].map(([text]) => `${id}: ${text}`),
  );
  expect(all).toEqual([]);
});

test('every name of a metric is real', async () => {
  const { text } = await sandbox.control('GET', '/metrics');
  const example = String(operations.find(({ id }) => id === 'getMetrics')?.answers[0]?.value);
  const names = (lines: string) => lines.split('\n').flatMap((line) => /^[a-z]\w+/.exec(line)?.[0] ?? []);
  expect(names(example).filter((name) => !names(text).includes(name))).toEqual([]);
});

test.each([...contract.operations.values()])('$id declares the failures that each operation of its kind has', (one) => {
  const { requestBody, responses, security } = one.source as unknown as Source & { security?: readonly unknown[] };
  const ofKind = [
    security?.length !== 0 && '401',
    requestBody && '413',
    /^._sandbox.projects.{/.test(one.path) && '429',
  ];
  expect(Object.keys(responses)).toEqual(
    expect.arrayContaining(['400', '403', '415', '421', '500', ...ofKind.filter(Boolean)]),
  );
});

/**
 * The examples of the API's document are real: each response example is what the sandbox answers to the request example
 * of the same name, after the ones before it. `npx vitest run test/flows/requests/documented-examples.test.ts -u` writes
 * what it answers into spec/openapi.yaml.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import apiSource from '../../../spec/openapi.yaml';
import type { Json } from '../../../src/lib/json.ts';
import type { ApiDocument } from '../../../src/openapi/api-document.ts';
import { applyProfile } from '../../../src/openapi/document.ts';
import { type Profile, shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { operations } from '../../../src/operations/index.ts';
import { writeProfile } from '../../harness/profile.ts';
import { freshProject, type TestSandbox, useSandbox } from '../../harness/sandbox.ts';
import {
  type ExampleOperation,
  type ExampleValue,
  listExampleOperations,
  replaceValues,
} from '../../openapi/operation-examples.ts';

const api = apiSource as ApiDocument;
const start = { clock: '2026-03-01T23:30:01.800Z' };

/** Every operation that may change its mode, in the other one. */
const swapped: Profile['operations'] = Object.fromEntries(
  Object.entries(operations)
    .filter(([, operation]) => 'callbackType' in operation)
    .map(([id, { mode }]) => [id, { mode: mode === 'sync' ? 'async' : 'sync' }]),
);
const swappedProfile: Profile = { ...shippedProfile, operations: swapped };

const sandbox = useSandbox(start);
const swappedSandbox = useSandbox({ ...start, profile: writeProfile({ operations: swapped }) }, swappedProfile);

const project = 'brisbane-metro';

/** An invalid body for each schema, from a valid one. */
const breakBody: Readonly<Record<string, (body: Json) => Json>> = {
  UserRegistration: ({ access: _, locationIds: __, ...body }) => ({ ...body, password: 'sunrise' }),
  UserUpdate: () => ({ roles: ['cnc:attendants'], access: 'HO' }),
  SingleJobCreate: ({ address: _, ...body }) => ({ ...body, status: 'DELIVERD' }),
  SingleJobUpdateByPath: () => ({ status: 'DISPATCH', proofOfDelivery: [{ kind: 'photo' }] }),
  SingleJobUpdateByBody: (body) => ({ ...body, status: 'CANCELED', commsOptOut: 'yes' }),
  OrderUpdate: () => ({ status: 'COMPLETED', commsOptOut: true }),
  DeviceLocation: (body) => ({ ...body, eventDateTime: '2026-03-02 09:41:17' }),
  DeviceLocationList: () => ({ locations: {} }),
  JobCreateList: () => ({ jobs: {} }),
  JobUpdateList: () => ({ jobs: {} }),
  JobCreateInSubprojectBatchList: () => ({ jobs: {} }),
  RouteList: () => ({ routes: {} }),
  OrderList: () => ({ orders: {} }),
};

/** Runs the examples in the order of the document. Nothing is pending when the next one is sent. */
async function* runExamples(of: TestSandbox, document: ApiDocument) {
  for (const operation of listExampleOperations(document, project)) {
    for (const [name, { value }] of Object.entries(operation.requests)) {
      const answer = await of.api(operation.method, operation.path, value);
      await of.advance(project);
      yield { operation, status: operation.success, name, answer };
    }
    for (const status of Object.keys(operation.responses).filter((one) => one >= '400')) {
      const [name = ''] = Object.keys(operation.responses[status] ?? {});
      yield { operation, status, name, answer: await provoke(of, operation, status) };
    }
  }
}

/** Sends a request of the operation that gets the error. */
async function provoke(of: TestSandbox, { method, path, schema, requests }: ExampleOperation, status: string) {
  const valid = Object.values(requests)[0]?.value as Json;
  switch (status) {
    case '400':
      return of.api(method, path, breakBody[schema]?.(valid));
    case '404':
      return 'id' in valid
        ? of.api(method, path, { ...valid, id: 'JOB-20999' })
        : of.api(method, path.replace(/[^/]+$/, path.includes('orders') ? 'ORD-20999' : 'k.unknown'), valid);
    case '422': {
      const rules = [{ then: { fail: 'The downstream system rejected the request' } }];
      await of.control('PUT', `/projects/${project}/scenarios`, { scenarios: [{ name: 'rejected', rules }] });
      const id = 'id' in valid && method === 'POST' ? { id: 'JOB-20998' } : {};
      const username = 'username' in valid ? { username: 'm.keller2' } : {};
      const answer = await of.api(method, path, { ...valid, ...id, ...username });
      await of.control('PUT', `/projects/${project}/scenarios`, { scenarios: [] });
      return answer;
    }
    default:
      return of.api(method, path, valid);
  }
}

test('each response example is what the sandbox answers', async () => {
  const values: ExampleValue[] = [];
  for await (const { operation, status, name, answer } of runExamples(sandbox, api)) {
    expect(String(answer.status), `${operation.id}: ${status} ${name}: ${answer.text}`).toBe(status);
    expect(answer.headers['x-sandbox-warnings'], `${operation.id} ${name}`).toBeUndefined();
    const keys = [...operation.keys, 'responses', status, 'content', 'application/json', 'examples', name, 'value'];
    values.push({ keys, value: answer.body as unknown });
  }
  expect(values.length).toBeGreaterThan(80);
  const file = 'spec/openapi.yaml';
  await expect(replaceValues(readFileSync(file, 'utf8'), values)).toMatchFileSnapshot(`../../../${file}`);
});

test('every request example has a response example, and the reverse', () => {
  for (const { id, success, requests, responses } of listExampleOperations(api, project)) {
    expect(Object.keys(responses[success] ?? {}), id).toEqual(Object.keys(requests));
  }
});

test('a document whose modes are swapped has the examples of a sandbox whose modes are swapped', async () => {
  const document = applyProfile(api, swappedProfile);
  for await (const { operation, status, name, answer } of runExamples(swappedSandbox, document)) {
    expect(String(answer.status), `${operation.id}: ${status} ${name}: ${answer.text}`).toBe(status);
    expect(answer.body, `${operation.id} ${name}`).toEqual(operation.responses[status]?.[name]?.value);
  }
});

test('a collection of the first examples runs once in order without a failure, and without a pause', async () => {
  const own = freshProject();
  for (const { id, method, path, requests } of listExampleOperations(api, own)) {
    const answer = await sandbox.api(method, path, Object.values(requests)[0]?.value);
    expect(answer.status, `${id}: ${answer.text}`).toBeLessThan(300);
    expect(answer.body.failed ?? [], id).toEqual([]);
  }
  await sandbox.advance(own);
  expect(await sandbox.items(own, 'callbacks')).toEqual([]);
});

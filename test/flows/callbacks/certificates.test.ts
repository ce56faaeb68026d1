/** A receiver with a certificate that the sandbox does not trust: the attempt says how to trust it. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useListeners } from '../../harness/listener.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { failLater, frozenProject, onlyCallback } from './steps.ts';

const sandbox = useSandbox();
const listener = useListeners();
const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
  keyType: 'ec',
  algorithm: 'sha256',
});
let requests = 0;
const server = createServer({ cert, key }, (_request, response) => {
  requests += 1;
  response.writeHead(204).end();
});
const url = () => `https://localhost:${(server.address() as AddressInfo).port}`;

beforeAll(() => once(server.listen(0, 'localhost'), 'listening'));
afterAll(() => void server.close());

const error = 'certificate is self-signed; to trust it, start with NODE_EXTRA_CA_CERTS=FILE';

test('a callback to it fails, and names NODE_EXTRA_CA_CERTS', async () => {
  const project = await frozenProject(sandbox, url());
  await failLater(sandbox, project);
  await sandbox.advance(project, '1s');
  expect(await onlyCallback(sandbox, project)).toMatchObject({ state: 'scheduled', attempts: [{ error }] });
  expect(requests).toBe(0);
});

test('so does what `listen` forwards to it', async () => {
  const project = await frozenProject(sandbox);
  const { waitFor, attempts } = await listener({ url: sandbox.url(), project, forwardTo: url(), answer: 'show' });
  await waitFor('listening', 1);
  await failLater(sandbox, project);
  await sandbox.advance(project);
  await waitFor('callback', 1);
  expect(attempts()).toMatchObject([{ sandbox: 'inbox', forwarded: { error } }]);
  expect(requests).toBe(0);
});

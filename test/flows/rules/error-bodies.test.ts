/** Where a profile's body of errors applies: to all that the sandbox answers itself, and not to what a scenario sends. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { freshProject } from '../../harness/sandbox.ts';
import { withProfile } from '../profile-steps.ts';

const error = { error: { kind: '{code}', status: '{status}' }, success: false };
const rules = [
  { name: 'own', when: { operation: 'submitLocation' }, then: { respond: { status: 500, body: { own: true } } } },
  { name: 'limit', when: { operation: 'updateUser' }, then: { limit: { requests: 1, per: '1m' } } },
];
const sandbox = withProfile({ bodies: { error } }, { scenarioYaml: JSON.stringify({ name: 'own', rules }) });

test('a limit has it, a body of a scenario does not', async () => {
  const project = freshProject();
  const update = () => sandbox.api('PATCH', `/projects/${project}/users/j`, { firstName: 'Jo' });
  await update();
  expect((await update()).body).toEqual({ error: { kind: 'too_many_requests', status: 429 }, success: false });
  // The document does not have the body of the scenario.
  const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' };
  const geoJson = { type: 'Point', coordinates: [1, 2] };
  const body = JSON.stringify({ deviceId: 'D', eventDateTime: '2026-03-02T09:30:00Z', geoJson });
  const answer = await fetch(`${sandbox.url()}/projects/${project}/locations`, { method: 'POST', headers, body });
  expect(await answer.json()).toEqual({ own: true });
});

test('a request that is not HTTP has it', async () => {
  const socket = connect(Number(new URL(sandbox.url()).port), '127.0.0.1').end('not HTTP\r\n\r\n');
  const [, body = ''] = (await text(socket)).split('\r\n\r\n');
  expect(JSON.parse(body)).toEqual({ error: { kind: 'malformed_request', status: 400 }, success: false });
});

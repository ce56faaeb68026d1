/** Bodies and headers of responses that a profile sets, and the document that shows them. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { freshProject } from '../../harness/sandbox.ts';
import { withProfile } from '../profile-steps.ts';

const user = {
  username: 'j.okafor',
  password: 'A!',
  type: 'driver',
  visibleBy: 'S',
  access: 'DRIVER',
  firstName: 'Jo',
};
const wrong = { ...user, desc: 7 };
const location = {
  deviceId: 'D',
  eventDateTime: '2026-03-02T09:30:00Z',
  geoJson: { type: 'Point', coordinates: [1, 2] },
};

describe('bodies.error', () => {
  const error = {
    error: {
      kind: '{code}',
      status: '{status}',
      text: '{title}: {message}',
      where: '{method} {path}',
      at: '{timestamp}',
      request: '{requestId}',
      operation: '{operation}',
      details: [{ field: '{error.path}', issue: '{error.message}' }],
    },
    success: false,
  };
  const scenario = JSON.stringify({
    name: 'own',
    rules: [
      { name: 'down', when: { operation: 'submitLocation', request: { nth: 1 } }, then: { respond: { status: 500 } } },
      { name: 'own', when: { operation: 'submitLocation' }, then: { respond: { status: 500, body: { own: true } } } },
      { name: 'limit', when: { operation: 'updateUser' }, then: { limit: { requests: 1, per: '1m' } } },
    ],
  });
  const sandbox = withProfile({ bodies: { error }, limits: { body: '1kB' } }, { scenarios: [scenario] });

  test('shapes the body of a rejected request', async () => {
    const project = freshProject();
    const path = `/projects/${project}/users`;
    const { status, body, headers } = await sandbox.api('POST', path, wrong);
    const issue = 'expected a string, got number 7';
    expect([status, headers['content-type']]).toEqual([400, 'application/json']);
    expect(body).toEqual({
      error: {
        kind: 'invalid_request',
        status: 400,
        text: `Bad Request: /desc: ${issue}`,
        where: `POST ${path}`,
        at: '2026-03-02T09:30:00.000Z',
        request: headers['x-request-id'],
        operation: 'registerUser',
        details: [{ field: '/desc', issue }],
      },
      success: false,
    });
  });

  test.each<
    readonly [
      what: string,
      status: number,
      code: string,
      send: (project: string) => Promise<{ status: number; body: unknown }>,
    ]
  >([
    ['an unknown path', 404, 'unknown_path', () => sandbox.api('POST', '/nowhere', {})],
    ['no key', 401, 'missing_api_key', (p) => sandbox.api('POST', `/projects/${p}/users`, user, { apikey: undefined })],
    [
      'an unknown record',
      404,
      'not_found',
      (p) => sandbox.api('PATCH', `/sync/projects/${p}/orders/X`, { status: 'READY' }),
    ],
    [
      'a scenario without a body',
      500,
      'internal_error',
      (p) => sandbox.api('POST', `/projects/${p}/locations`, location),
    ],
  ])('shapes the body for %s', async (_, status, code, send) => {
    const answer = await send(freshProject());
    expect([answer.status, answer.body]).toEqual([
      status,
      { error: expect.objectContaining({ kind: code, status }), success: false },
    ]);
  });

  test('shapes the body of a limit, not one that a scenario gives', async () => {
    const project = freshProject();
    const update = () => sandbox.api('PATCH', `/projects/${project}/users/j`, { firstName: 'Jo' });
    await update();
    expect((await update()).body).toMatchObject({ error: { kind: 'too_many_requests', status: 429 } });
    const send = () => sandbox.api('POST', `/projects/${project}/locations`, location);
    await send();
    // The document does not have the body of the scenario.
    const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' };
    const url = `${sandbox.url()}/projects/${project}/locations`;
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(location) });
    expect(await answer.json()).toEqual({ own: true });
  });

  test('shapes the body of a request that is not HTTP', async () => {
    const socket = connect(Number(new URL(sandbox.url()).port), '127.0.0.1').end('not HTTP\r\n\r\n');
    const [, body = ''] = (await text(socket)).split('\r\n\r\n');
    expect(JSON.parse(body)).toMatchObject({ error: { kind: 'malformed_request', status: 400 }, success: false });
  });

  test('leaves the control API as it is', async () => {
    const { status, body } = await sandbox.control('GET', '/nowhere');
    expect([status, body]).toEqual([404, { message: expect.any(String) }]);
  });

  test('is in the served document, with examples that it makes', async () => {
    for (const file of ['openapi.json', 'openapi.json?version=3.0']) {
      const { body: document } = await sandbox.control('GET', `/${file}`);
      const { ErrorBody } = document.components.schemas;
      expect(ErrorBody).toMatchObject({
        required: ['error', 'success'],
        properties: { error: { properties: { status: { type: 'integer' } } } },
      });
      expect(ErrorBody.properties.error.required).toEqual(
        ['status', 'text', 'where', 'at', 'kind'].sort(
          (a, b) => Object.keys(error.error).indexOf(a) - Object.keys(error.error).indexOf(b),
        ),
      );
      expect(JSON.stringify(document.components.responses.Invalid ?? document.paths)).toContain(
        '"details":[{"field":"/',
      );
    }
  });
});

describe('bodies.error: problem', () => {
  const sandbox = withProfile({ bodies: { error: 'problem' } });

  test('sends problem details', async () => {
    const { body, headers, status } = await sandbox.api('POST', `/projects/${freshProject()}/users`, wrong);
    expect([status, headers['content-type']]).toEqual([400, 'application/problem+json']);
    expect(body).toMatchObject({
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      code: 'invalid_request',
      errors: [{}],
    });
    expect(body.detail).toContain('/desc');
  });
});

describe('bodies of results', () => {
  const sandbox = withProfile({
    bodies: {
      registerUser: {
        id: '{id}',
        name: '{firstName} {lastName}',
        first: '{firstName}',
        text: '{message}',
        created: '{createdAt}',
      },
      updateUser: { user: { first: '{firstName}', groups: '{groups}' } },
      syncCreateJob: ['{id}', '{status}', '{requestId}', '{projectId}', '{operation}'],
    },
  });

  test('have values of the request and of the record', async () => {
    const project = freshProject();
    const registered = await sandbox.api('POST', `/projects/${project}/users`, user);
    const created = '2026-03-02T09:30:00.000Z';
    expect(registered.status).toBe(201);
    expect(registered.body).toEqual({ id: 'j.okafor', first: 'Jo', text: 'user j.okafor created', created });
    const updated = await sandbox.api('PATCH', `/projects/${project}/users/j.okafor`, { groups: ['a', 'b'] });
    expect(updated.body).toEqual({ user: { first: 'Jo', groups: ['a', 'b'] } });
    const job = { id: 'J', status: 'PENDING', address: {} };
    const { body, headers } = await sandbox.api('POST', `/sync/projects/${project}/jobs`, job);
    expect(body).toEqual(['J', 'PENDING', headers['x-request-id'], project, 'syncCreateJob']);
  });

  test('are in the served document', async () => {
    const { body: document } = await sandbox.control('GET', '/openapi.json');
    expect(document.components.schemas.RegisterUserResult).toMatchObject({
      required: ['id', 'text'],
      properties: { created: { type: 'string', format: 'date-time' }, name: { type: 'string' } },
    });
    const { content } = document.paths['/projects/{projectId}/users'].post.responses['201'];
    expect(Object.values(content['application/json'].examples)).toMatchObject([
      { value: { id: 'm.keller', first: 'Mia' } },
    ]);
  });
});

describe('responseHeaders', () => {
  const scenario = JSON.stringify({
    name: 'own',
    rules: [
      {
        name: 'own',
        when: { operation: 'updateUser' },
        then: { respond: { status: 500, headers: { 'X-Api-Version': '9' } } },
      },
    ],
  });
  const sandbox = withProfile({ responseHeaders: { 'X-Api-Version': '1', server: 'acme' } }, { scenarios: [scenario] });

  test('are on all responses of the API, and on no other', async () => {
    const project = freshProject();
    const headersOf = ({ headers }: { headers: Record<string, string> }) => [
      headers['x-api-version'],
      headers['server'],
    ];
    expect(headersOf(await sandbox.api('POST', `/projects/${project}/users`, user))).toEqual(['1', 'acme']);
    expect(headersOf(await sandbox.api('POST', `/projects/${project}/users`, {}))).toEqual(['1', 'acme']);
    expect(headersOf(await sandbox.api('POST', '/nowhere', {}))).toEqual(['1', 'acme']);
    expect(headersOf(await sandbox.api('PATCH', `/projects/${project}/users/x`, { firstName: 'X' }))).toEqual([
      '9',
      'acme',
    ]);
    expect(headersOf(await sandbox.control('GET', '/settings'))).toEqual([undefined, undefined]);
  });

  test('are in the served document', async () => {
    const { body: document } = await sandbox.control('GET', '/openapi.json');
    const text = JSON.stringify(document.components.responses);
    expect(text).toContain(
      '"x-api-version":{"description":"The same in all responses.","schema":{"type":"string","const":"1"}',
    );
  });
});

/** Updates of users: roles, passwords that leave no trace, and the shapes that differ from registration. */
import { describe, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });

const username = 'm.keller';
const attendant = {
  username,
  password: 'Sunrise#2026',
  type: 'attendant',
  locationIds: ['BNE-014'],
  access: ['HO'],
  firstName: 'Mia',
  tags: ['front-desk', 'weekend'],
};

async function withUser() {
  const project = freshProject();
  expect((await sandbox.api('POST', `/projects/${project}/users`, attendant)).status).toBe(201);
  const [registered] = await sandbox.items(project, 'users');
  return {
    project,
    registered,
    update: (body: object, name = username) => sandbox.api('PATCH', `/projects/${project}/users/${name}`, body),
    stored: async () => (await sandbox.items(project, 'users'))[0],
  };
}

describe('a password', () => {
  test('alone resets it; the rest of the user does not change', async () => {
    const { project, registered, update, stored } = await withUser();
    await sandbox.advance(project, '1m');
    expect((await update({ password: 'Winter+Coat26' })).status).toBe(200);
    const passwordChangedAt = '2026-03-02T09:31:00.000Z';
    expect(await stored()).toEqual({ ...registered, passwordChangedAt, updatedAt: passwordChangedAt });
  });

  test('must match the pattern of the registration', async () => {
    const { update } = await withUser();
    const response = await update({ password: 'winter+coat26' });
    expect(response.status).toBe(400);
    expect(response.body.errors).toEqual([{ path: '/password', message: expect.stringContaining('upper-case') }]);
  });

  test('an update without one keeps the time of its last change', async () => {
    const { project, registered, update, stored } = await withUser();
    await sandbox.advance(project, '1m');
    expect((await update({ firstName: 'Maria' })).status).toBe(200);
    expect((await stored())?.['passwordChangedAt']).toBe(registered?.['passwordChangedAt']);
  });

  test('is absent from users, snapshot and journal, whether accepted or rejected', async () => {
    const { project, update } = await withUser();
    await update({ password: 'Taken+Secret1' });
    await update({ password: 'refused-secret' });
    await update({ password: 'Unknown+Secret1' }, 'nobody');
    await update({ passwrd: 'Misspelt+Secret1', newPassword: 'Unheard+Secret1', pasword: { is: 'Nested+Secret1' } });
    await sandbox.api('POST', `/projects/${project}/users`, '{ "password": "Broken+Secret1", ');
    const requests = await sandbox.items(project, 'requests');
    const shown = await Promise.all([
      ...['/users', `/users/${username}`, '/snapshot', '/requests'].map((path) =>
        sandbox.control('GET', `/projects/${project}${path}`),
      ),
      ...requests.map(({ id }) => sandbox.control('GET', `/projects/${project}/requests/${id}`)),
    ]);
    expect(requests).toHaveLength(6);
    for (const { status, text } of shown) {
      expect(status).toBe(200);
      expect(text).not.toMatch(/Sunrise#2026|secret/i);
    }
  });
});

describe('the shapes of locationIds, visibleBy and access on an update', () => {
  const places = { siteId: ['site-brisbane-south'], storeCode: ['BNE-014', 'BNE-033'] };

  test.each([
    ['locationIds', places],
    ['locationIds', { siteId: ['site-brisbane-south'] }],
    ['locationIds', { storeCode: [] }],
    ['locationIds', {}],
    ['visibleBy', places],
    ['access', ['HO', 'SITE-7']],
    ['access', []],
  ])('accepts %s %j, which replaces the registered value', async (field, value) => {
    const { update, stored, registered } = await withUser();
    expect((await update({ [field]: value })).status).toBe(200);
    expect(await stored()).toEqual({ ...registered, [field]: value });
  });

  test.each([
    ['locationIds', 'BNE-014', '/locationIds', 'expected an object, got "BNE-014"'],
    ['locationIds', ['BNE-014'], '/locationIds', 'expected an object, got an array of 1'],
    ['visibleBy', ['BNE-014'], '/visibleBy', 'expected an object, got an array of 1'],
    ['visibleBy', { siteId: 'south' }, '/visibleBy/siteId', 'expected an array, got "south"'],
    ['locationIds', { storeCode: ['BNE-014', 7] }, '/locationIds/storeCode/1', 'expected a string, got number 7'],
    ['access', 'HO', '/access', 'expected an array, got "HO"'],
  ])('rejects %s %j', async (field, value, path, message) => {
    const { update } = await withUser();
    const response = await update({ [field]: value });
    expect(response.status).toBe(400);
    expect(response.body.errors).toEqual([{ path, message }]);
  });
});

describe('an update of a user', () => {
  test('replaces each given field as a whole and keeps the others', async () => {
    const { update, stored, registered } = await withUser();
    expect((await update({ tags: ['night'], lastName: 'Keller' })).status).toBe(200);
    expect(await stored()).toEqual({ ...registered, tags: ['night'], lastName: 'Keller' });
  });

  test.each([['username'], ['projectId']])('%s in the body must agree with the path', async (field) => {
    const { project, update, stored, registered } = await withUser();
    const response = await update({ [field]: 'another', firstName: 'Maria' });
    expect(response.status).toBe(400);
    expect(response.body.errors).toEqual([
      { path: `/${field}`, message: expect.stringMatching(/as in the path, got "another"/) },
    ]);
    expect(await stored()).toEqual(registered);
    const agreeing = { username, projectId: project, firstName: 'Maria' };
    expect((await update(agreeing)).status).toBe(200);
    expect((await stored())?.['firstName']).toBe('Maria');
  });

  test('ignores `type` with a warning and keeps the stored one', async () => {
    const { update, stored } = await withUser();
    const response = await update({ type: 'driver' });
    expect(response.status).toBe(200);
    expect(response.headers['x-sandbox-warnings']).toBe('1');
    expect((await stored())?.['type']).toBe('attendant');
  });

  test('an empty body changes nothing', async () => {
    const { update, stored, registered } = await withUser();
    expect((await update({})).status).toBe(200);
    expect(await stored()).toEqual(registered);
  });
});

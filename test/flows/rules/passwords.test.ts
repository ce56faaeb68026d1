/** Passwords of users leave no trace. */
import { expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });
const attendant = {
  username: 'm.keller',
  password: 'Sunrise#2026',
  type: 'attendant',
  locationIds: ['BNE-014'],
  access: ['HO'],
};

test('a password is absent from users, snapshot and journal, whether accepted or rejected', async () => {
  const project = freshProject();
  const update = (body: object, name = attendant.username) =>
    sandbox.api('PATCH', `/projects/${project}/users/${name}`, body);
  expect((await sandbox.api('POST', `/projects/${project}/users`, attendant)).status).toBe(201);
  await update({ password: 'Taken+Secret1' });
  await update({ password: 'refused-secret' });
  await update({ password: 'Unknown+Secret1' }, 'nobody');
  await update({ passwrd: 'Misspelt+Secret1', newPassword: 'Unheard+Secret1', pasword: { is: 'Nested+Secret1' } });
  await sandbox.api('POST', `/projects/${project}/users`, '{ "password": "Broken+Secret1", ');
  const requests = await sandbox.items(project, 'requests');
  const shown = await Promise.all([
    ...['/users', `/users/${attendant.username}`, '/snapshot', '/requests'].map((path) =>
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

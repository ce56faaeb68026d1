/** Registration of users: who can be created, what each type needs, which passwords do. */
import { describe, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox();

const attendant = {
  username: 'm.keller',
  password: 'Sunrise#2026',
  type: 'attendant',
  locationIds: ['BNE-014', 'BNE-021'],
  access: ['HO'],
};
const driver = {
  username: 'j.okafor',
  password: 'Harbour!Van7',
  type: 'driver',
  visibleBy: ['CHI-003'],
  access: 'DRIVER',
};

function without<T extends object>(body: T, ...fields: (keyof T)[]): Partial<T> {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !fields.includes(name as keyof T))) as Partial<T>;
}

async function register(body: object, project = freshProject()) {
  const response = await sandbox.api('POST', `/projects/${project}/users`, body);
  return { response, stored: (await sandbox.items(project, 'users'))[0], project };
}

/** Refused as one mistake with this path and these words, and nothing stored. */
async function expectRefused(body: object, path: string, ...words: string[]) {
  const { response, stored } = await register(body);
  expect(response.status).toBe(400);
  expect(response.body.errors).toHaveLength(1);
  expect(response.body.errors[0].path).toBe(path);
  for (const word of words) expect(response.body.errors[0].message).toContain(word);
  expect(stored).toBeUndefined();
}

describe('user type rule 1 (`user` must not be used to create a user)', () => {
  test('rejects a missing type, which means `user`, with a remedy', async () => {
    await expectRefused(without(attendant, 'type'), '/type', '"type": "attendant"', '"type": "driver"');
  });

  test('rejects `user` with a remedy', async () => {
    await expectRefused({ ...attendant, type: 'user' }, '/type', '"attendant" or "driver"');
  });
});

describe('user type rule 2 (an attendant needs locationIds and access)', () => {
  test('reports both if both are missing, with `HO`', async () => {
    const { response } = await register(without(attendant, 'locationIds', 'access'));
    expect(response.status).toBe(400);
    expect(response.body.errors).toEqual([
      { path: '/locationIds', message: expect.stringContaining('`locationIds`') },
      { path: '/access', message: expect.stringContaining('["HO"]') },
    ]);
  });

  test.each([['locationIds'], ['access']] as const)('reports a missing %s alone', async (field) => {
    await expectRefused(without(attendant, field), `/${field}`, field);
  });

  test('accepts an attendant without visibleBy and with any access', async () => {
    const { response, stored } = await register({ ...attendant, access: ['SITE-7', 'HO'] });
    expect(response.status).toBe(201);
    expect(stored).toMatchObject({ type: 'attendant', access: ['SITE-7', 'HO'] });
  });
});

describe('user type rule 3 (a driver needs visibleBy, and DRIVER as access)', () => {
  test.each([['visibleBy'], ['access']] as const)('reports a missing %s', async (field) => {
    await expectRefused(without(driver, field), `/${field}`, field);
  });

  test.each([['HO'], [['HO']], [['DRIVER', 'HO']], [[]], ['driver'], ['']])('rejects access %j', async (access) => {
    await expectRefused({ ...driver, access }, '/access', '"DRIVER" or ["DRIVER"]');
  });

  test.each([['DRIVER'], [['DRIVER']]])('accepts and stores access %j', async (access) => {
    const { response, stored } = await register({ ...driver, access });
    expect(response.status).toBe(201);
    expect(stored?.['access']).toEqual(access);
  });
});

describe('the shapes of locationIds, visibleBy and access at registration', () => {
  test.each([
    ['locationIds', 'BNE-014'],
    ['locationIds', ['BNE-014', 'BNE-021']],
    ['locationIds', []],
    ['access', 'HO'],
    ['access', ['HO']],
    ['visibleBy', 'CHI-003'],
    ['visibleBy', ['CHI-003', 'CHI-004']],
  ])('accepts and stores %s as %j', async (field, value) => {
    const { response, stored } = await register({ ...attendant, [field]: value });
    expect(response.status).toBe(201);
    expect(stored?.[field]).toEqual(value);
  });

  test.each(['locationIds', 'visibleBy', 'access'])('rejects %s as the object of an update', async (field) => {
    await expectRefused({ ...attendant, [field]: { storeCode: ['BNE-014'] } }, `/${field}`, 'a string or an array');
  });
});

describe('the password pattern (one upper-case letter, one of 17 characters)', () => {
  test.each([
    ['no special character', 'Sunrise2026'],
    ['no upper-case letter', 'sunrise#2026'],
  ])('rejects %s without quoting it', async (_what, password) => {
    const { response } = await register({ ...attendant, password });
    expect(response.status).toBe(400);
    expect(response.body.errors).toEqual([
      { path: '/password', message: expect.stringContaining('! @ # $ % ( ) & * - ^ = + ; < > ?') },
    ]);
    expect(response.text).not.toContain(password);
  });

  test('rejects a password that is not a string without quoting it', async () => {
    const { response } = await register({ ...attendant, password: 73_911_246 });
    expect(response.body.errors).toEqual([{ path: '/password', message: 'expected a string' }]);
  });
});

describe('other rules of the registration', () => {
  test('requires username', () => expectRefused(without(attendant, 'username'), '/username', 'required'));

  test('accepts any roles, because the documentation shows none', async () => {
    const roles = ['cnc:attendant', 'captain', 'cnc:atendant'];
    const { response, stored } = await register({ ...attendant, roles });
    expect(response.status).toBe(201);
    expect(stored?.['roles']).toEqual(roles);
  });

  test('accepts projectId in the body if it agrees with the path', async () => {
    const project = freshProject();
    const other = await register({ ...attendant, projectId: 'elsewhere' }, project);
    expect(other.response.status).toBe(400);
    expect(other.response.body.errors).toEqual([
      { path: '/projectId', message: expect.stringContaining(`"${project}"`) },
    ]);
    const same = await register({ ...attendant, projectId: project }, project);
    expect(same.response.status).toBe(201);
    expect(same.stored).not.toHaveProperty('projectId');
  });

  test('an existing username is a 409, and the stored user does not change', async () => {
    const { project } = await register(attendant);
    const { response, stored } = await register({ ...driver, username: attendant.username }, project);
    expect(response.status).toBe(409);
    expect(response.body.message).toContain(attendant.username);
    expect(stored?.['type']).toBe('attendant');
  });
});

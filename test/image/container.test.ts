/** The image as it runs: with the rights that compose.yaml leaves it, as process 1 of a container of its own. */
import { chownSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { readService, type Start } from './bundle.ts';
import { type Container, useContainers } from './container.ts';

const { folder, config } = inject('built');
const create = useContainers();
const [, ...health] = config.Healthcheck.Test;
const json = { 'content-type': 'application/json' };
const jobs = JSON.stringify({ jobs: [{ id: 'ORD-1' }] });

/** One that has said that it is ready. */
async function start(how: Start = {}): Promise<Container> {
  const container = await create(how);
  await container.waitForOutput('field-sandbox is ready');
  return container;
}

/** A folder of the machine that a container gets. */
function makeFolder(name: string, uid: number): string {
  const made = path.join(folder, name);
  mkdirSync(made, { mode: 0o755 });
  chownSync(made, uid, uid);
  return made;
}

test('read-only and without capabilities, it accepts a request with the key that it prints', async () => {
  expect(readService()).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
  const container = await create();
  const [, key = ''] = /^ *key +(\S+)/m.exec(await container.waitForOutput('callbacks\n')) ?? [];
  const post = (apikey: string) =>
    container.ask('/sync/projects/p/jobs/batch', { method: 'POST', headers: { ...json, apikey }, body: jobs });
  expect(await post(key)).toMatchObject({ status: 200 });
  expect(await post(`${key}-no`)).toMatchObject({ status: 401 });
  expect((await container.ask('/_sandbox/projects/p/jobs')).body).toContain('ORD-1');
  expect((await container.ask('/_sandbox/')).body).toContain('<!doctype html>');
});

test('its process has id 1 and user 1000, and cannot gain privileges', async () => {
  const status = (await start()).status();
  expect(status).toMatch(/^NSpid:\t\d+.*\t1$/m);
  expect(status).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m);
  expect(status).toMatch(/^Gid:\t1000\t1000\t1000\t1000$/m);
  for (const kind of ['Inh', 'Prm', 'Eff', 'Bnd', 'Amb']) expect(status).toMatch(new RegExp(`^Cap${kind}:\t0+$`, 'm'));
  expect(status).toMatch(/^NoNewPrivs:\t1$/m);
});

test.each<[string, Start]>([
  ['as it is', {}],
  ['on another port', { env: { SANDBOX_PORT: '4711' } }],
  ['with a token for the control API', { env: { SANDBOX_ADMIN_TOKEN: 'a-token-of-the-operator' } }],
  ['as another user', { user: '4321:0' }],
])('the health check succeeds: %s', async (_how, how) => {
  expect(await (await start(how)).exec(health)).toMatchObject({ code: 0, err: '' });
});

test('the health check fails if nothing listens', async () => {
  const container = await create({ command: ['/bin/sh', '-c', 'echo here; exec sleep 60'] });
  await container.waitForOutput('here');
  expect(await container.exec(health)).toMatchObject({ code: 1, err: expect.stringContaining('not ready') });
});

// Engines kill after ten seconds.
test.each(['TERM', 'INT'] as const)(
  'SIG%s ends it with exit code 0 within 10 seconds',
  { timeout: 15_000 },
  async (name) => {
    const container = await start();
    // One that waits is under way.
    const waiting = container.ask('/_sandbox/projects/p/callbacks?await=60s').catch(() => undefined);
    const before = performance.now();
    await container.signal(name);
    expect(await container.ended).toMatchObject({ code: 0 });
    expect(performance.now() - before).toBeLessThan(10_000);
    await waiting;
  },
);

test('its user cannot write below /app, even with a writable root', async () => {
  const find = ['/bin/sh', '-c', 'find /app /tmp -writable; echo looked'];
  const { code, out, err } = await (await create({ command: find, isWritable: true })).ended;
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toBe('/tmp\nlooked\n');
});

test.each([
  ['its own', '1000:1000', 1000],
  ['that of --user', '4321:4321', 4321],
])(
  '--data: a mounted folder keeps the data of a killed container with the user %s',
  { timeout: 120_000 },
  async (_whose, user, uid) => {
    // As docs/operating/data.md shows.
    const here = makeFolder(`data-${uid}`, uid);
    const how = { user, volumes: { [here]: '/data' }, env: { SANDBOX_DATA: '/data' } };
    const first = await start(how);
    const headers = { ...json, apikey: 'sandbox-key' };
    expect((await first.ask('/sync/projects/p/jobs/batch', { method: 'POST', headers, body: jobs })).status).toBe(200);
    await first.signal('KILL');
    await first.ended;
    expect(readdirSync(here).sort()).toEqual(['.lock', expect.stringMatching(/^\.writing-/), 'p.json']);
    expect(statSync(path.join(here, 'p.json'))).toMatchObject({ uid, gid: uid, mode: 0o100600 });
    // The next one is number 1 of its container, too: it may wait half a minute for a sign of life.
    const second = await start(how);
    expect((await second.ask('/_sandbox/projects/p/jobs')).body).toContain('ORD-1');
    await second.signal('TERM');
    expect(await second.ended).toMatchObject({ code: 0 });
    expect(readdirSync(here)).toEqual(['p.json']);
  },
);

test.each<[string, string, () => Start]>([
  [
    'a mounted folder of another user',
    "/data can't be written to (EACCES)",
    () => ({ volumes: { [makeFolder('foreign', 0)]: '/data' } }),
  ],
  ['no mounted folder', "/here can't be created (EROFS)", () => ({})],
  ['no mounted folder, one below another', "/here/and/there can't be created (EROFS)", () => ({})],
])('--data: %s is rejected with a reason', async (_what, message, how) => {
  const [data = ''] = message.split(' ');
  const { ended } = await create({ ...how(), env: { SANDBOX_DATA: data } });
  const { code, out, err } = await ended;
  expect({ code, out }).toEqual({ code: 2, out: '' });
  // Before it is the warning of a control API without a token.
  expect(err.split('\n').slice(1)).toEqual([`SANDBOX_DATA: ${message}`, '']);
});

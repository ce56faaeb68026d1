/** The rules of collection orders: import, update, and what only one of the two takes. */
import { describe, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });

const modes = ['sync', 'async'] as const;
type Mode = (typeof modes)[number];

/** A project with these orders in it. */
async function withOrders(...orders: object[]) {
  const project = freshProject();
  const send = async (mode: Mode, method: string, path: string, body: object) => {
    const response = await sandbox.api(method, `/${mode}/projects/${project}${path}`, body);
    await sandbox.advance(project);
    return response;
  };
  expect((await send('sync', 'POST', '/orders', { orders })).body.failed).toEqual([]);
  return {
    project,
    send,
    stored: () => sandbox.items(project, 'orders'),
  };
}

describe.each(modes)('%s orders', (mode) => {
  const done = mode === 'sync' ? 200 : 202;

  test('rule 1: in an update, the body moves the order and the URL does not', async () => {
    const { project, send, stored } = await withOrders({ id: 'O-1', subProjectId: 'home' });
    const path = '/subprojects/outer/orders/O-1';
    expect((await send(mode, 'PATCH', path, { status: 'READY' })).status).toBe(done);
    expect(await stored()).toMatchObject([{ status: 'READY', subProjectId: 'home' }]);
    const [request] = (await sandbox.items(project, 'requests')).slice(-1);
    expect(request?.['warnings']).toEqual([expect.stringContaining('subproject home')]);
    expect((await send(mode, 'PATCH', path, { status: 'READY', subProjectId: 'inner' })).status).toBe(done);
    expect(await stored()).toMatchObject([{ subProjectId: 'inner' }]);
  });

  test('an update with commsOptOut requires customer', async () => {
    const { send, stored } = await withOrders({ id: 'O-1', customer: { firstName: 'Grace' } });
    for (const commsOptOut of [true, false]) {
      const refused = await send(mode, 'PATCH', '/orders/O-1', { status: 'PENDING', commsOptOut });
      expect(refused.status).toBe(400);
      expect(refused.body.errors).toEqual([{ path: '/customer', message: expect.stringContaining('send both') }]);
    }
    expect(await stored()).not.toMatchObject([{ commsOptOut: expect.anything() }]);
    const both = { status: 'PENDING', commsOptOut: true, customer: { firstName: 'Grace' } };
    expect((await send(mode, 'PATCH', '/orders/O-1', both)).status).toBe(done);
    expect(await stored()).toMatchObject([both]);
  });

  test('an import with commsOptOut does not require customer', async () => {
    const { send } = await withOrders();
    const { body } = await send(mode, 'POST', '/orders', { orders: [{ id: 'O-1', commsOptOut: true }] });
    expect(body.ordersReceived).toBe(1);
  });

  test('an import ignores address with a warning', async () => {
    const { send, stored } = await withOrders();
    const address = { locality: 'Brisbane' };
    const imported = await send(mode, 'POST', '/orders', { orders: [{ id: 'O-1', address }] });
    expect(imported.body.ordersReceived).toBe(1);
    expect(imported.headers['x-sandbox-warnings']).toBe('1');
    expect((await stored())[0]).not.toHaveProperty('address');
    const updated = await send(mode, 'PATCH', '/orders/O-1', { status: 'READY', address });
    expect(updated.headers).not.toHaveProperty('x-sandbox-warnings');
    expect(await stored()).toMatchObject([{ address }]);
  });

  test("the result's trackingId is the entry's trackId, or a generated one", async () => {
    const { send, stored } = await withOrders();
    const { body } = await send(mode, 'POST', '/orders', { orders: [{ id: 'O-1', trackId: 'T-1' }, { id: 'O-2' }] });
    expect(body.orders).toMatchObject([{ trackingId: 'T-1' }, { trackingId: expect.stringMatching(/^TRK-./) }]);
    expect((await stored()).map(({ trackId }) => trackId)).toEqual(
      body.orders.map(({ trackingId }: { trackingId: string }) => trackingId),
    );
    expect((await stored())[0]).not.toHaveProperty('trackingId');
  });
});

test('an update of a pending order names the trackId of the import, and of an unknown one none', async () => {
  const project = freshProject();
  const path = `/async/projects/${project}/orders`;
  await sandbox.api('POST', path, { orders: [{ id: 'O-1', trackId: 'T-1' }] });
  const update = async (id: string) => (await sandbox.api('PATCH', `${path}/${id}`, { status: 'READY' })).body.orders;
  expect(await update('O-1')).toEqual([{ orderNumber: 'O-1', trackingId: 'T-1' }]);
  expect(await update('O-2')).toEqual([{ orderNumber: 'O-2' }]);
});

test('a pending order is a 404 that mentions the pending import', async () => {
  const project = freshProject();
  await sandbox.api('POST', `/async/projects/${project}/orders`, { orders: [{ id: 'O-1' }] });
  const update = () => sandbox.api('PATCH', `/sync/projects/${project}/orders/O-1`, { status: 'READY' });
  const early = await update();
  expect(early.status).toBe(404);
  expect(early.body.message).toContain('still pending');
  await sandbox.advance(project);
  expect((await update()).status).toBe(200);
});

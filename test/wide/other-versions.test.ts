/** During an update, servers have several versions: they answer what others do not know, and without those. */
import { expect, test } from 'vitest';
import type { Question } from '../../src/cluster/wide/ask-others.ts';
import { createWide, type RunningControl } from '../../src/cluster/wide/index.ts';
import { admin } from '../../src/control-api/caller.ts';
import type { ControlId, ControlParts, ControlRequest } from '../../src/control-api/handler.ts';
import { createControl } from '../../src/control-api/index.ts';
import { toJsonReply } from '../../src/http/reply.ts';

const toRecord = (id: string) => ({ kind: 'record', id, project: 'p', collection: 'jobs' });
const answer = (id: string) => toJsonReply(200, { items: [toRecord(id)] });

async function search(...others: readonly ReturnType<typeof toJsonReply>[]) {
  const parts = {
    database: { listProjects: async () => [] },
    ask: async () => others,
    store: {},
    scenarios: {},
  };
  const running = { control: {}, loaded: async () => ({}) } as unknown as RunningControl;
  const wide = createWide(parts as unknown as Parameters<typeof createWide>[0], () => running);
  const request = { query: { q: 'job' }, caller: admin } as unknown as ControlRequest;
  const wanted = { id: 'search', project: undefined, request, isRead: true } as const;
  const placed = await wide.handle(wanted, async () => answer('JOB-1'));
  const { headers, body = '' } = 'reply' in placed ? placed.reply : expect.unreachable();
  return { incomplete: headers['x-sandbox-incomplete'], items: JSON.parse(body).items };
}

test('a search has the results of the servers that can search, and says that others are missing', async () => {
  const items = [toRecord('JOB-1'), toRecord('JOB-2')];
  expect(await search(answer('JOB-2'))).toEqual({ incomplete: undefined, items });
  const unknown = toJsonReply(501, { message: 'this server has another version' });
  expect(await search(unknown, answer('JOB-2'))).toEqual({ incomplete: 'servers of another version: 1', items });
});

test('a reset of all adds up what the servers that know the question have cancelled', async () => {
  const known = toJsonReply(200, { instructions: 2, callbacks: 1 });
  const parts = {
    database: { removeAll: async () => ['p'] },
    ask: async () => [toJsonReply(501, null), known],
    ...{ store: {}, scenarios: { activation: { update: async () => undefined } } },
  } as unknown as Parameters<typeof createWide>[0];
  const projects = { resetAll: () => [], persisted: () => undefined };
  const control = { projects, events: { publish: () => undefined } };
  const running = { control, loaded: async () => ({}) } as unknown as RunningControl;
  const request = { query: {}, caller: admin } as unknown as ControlRequest;
  const wanted = { id: 'resetAll', project: undefined, request, isRead: false } as const;
  const placed = await createWide(parts, () => running).handle(wanted, expect.unreachable);
  const { body = '' } = 'reply' in placed ? placed.reply : expect.unreachable();
  expect(JSON.parse(body)).toEqual({ projects: 1, cancelled: { instructions: 2, callbacks: 1 } });
});

test('an operation and a question of a later version get 501', async () => {
  const control = createControl({ limits: {}, admission: { bodies: { max: 1 } } } as unknown as ControlParts, true);
  const later = 'ofALaterVersion' as ControlId;
  expect((await control.handleHere(later, { params: {} } as ControlRequest)).status).toBe(501);
  const parts = { store: {}, scenarios: {} } as unknown as Parameters<typeof createWide>[0];
  const running = { control: {} } as unknown as RunningControl;
  const wide = createWide(parts, () => running);
  const question = { about: later } as unknown as Question;
  expect((await wide.answer(question, () => () => undefined)).status).toBe(501);
});

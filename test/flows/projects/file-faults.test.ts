/** A file operation of `--data` fails once: nothing answered is lost, nothing rejected is stored, and work continues. */
import { cpSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ConfigError } from '../../../src/config/config-error.ts';
import { isFull, sampleOf } from '../../harness/amounts.ts';
import { createTestWall, type TestWall } from '../../harness/wall.ts';
import { ask, type KeptSandbox, type Told, useFolders } from '../data-steps.ts';
import { describeFault, type FileFault, useFileFaults } from './file-faults.ts';

const { fresh, start } = useFolders();
/** Each case waits for up to 30 writes, of which a busy disk takes 20 ms each. In full mode, a test has 200 cases. */
const slowly = isFull ? 600_000 : 60_000;

const root = path.dirname(fresh());
const files = useFileFaults(root);

const instant = '2026-03-02T09:00:00.000Z';
const adminToken = 'let-me-in';
const admin = { authorization: `Bearer ${adminToken}` };

interface Running extends KeptSandbox {
  readonly wall: TestWall;
  send(method: string, where: string, body?: unknown): Promise<Told>;
}

async function run(folder: string): Promise<Running> {
  const wall = createTestWall(Date.parse(instant));
  const kept = await start(folder, { clock: instant, adminToken, apiKeys: ['sandbox-key'] }, wall);
  const send: Running['send'] = (method, where, body) => ask(kept.sandbox.url + where, method, body, admin);
  return { ...kept, wall, send };
}

/** A response that says that the change may not be stored, under an id that the log has. */
function expectUnsaved({ status, id, body }: Told, { remarks }: Running, title: string): void {
  expect(status, title).toBe(500);
  expect(body.message, title).toContain(id);
  expect(remarks.at(-1), title).toMatch(/EIO|ENOSPC/);
}

const late = { name: 'late', rules: [{ then: { callback: { delay: '1s' } } }] };
const snapshot = { version: 1, jobs: [{ id: 'C' }], orders: [], routes: [], users: [], locations: [] };

interface Step {
  /** Steps before it, so that it writes a new file, or the first or another line after the whole. */
  readonly after: readonly string[];
  readonly status: number;
  /** Whether it is stored in two writes, or in more if the disk is fast: then only the first two can always fail. */
  readonly isStoredInParts?: boolean;
  act(server: Running, project: string): Promise<Told>;
}

const steps: Readonly<Record<string, Step>> = {
  import: {
    after: [],
    status: 200,
    act: ({ api }, p) => api('POST', `/sync/projects/${p}/jobs/batch`, { jobs: [{ id: 'A' }, { id: 'A' }] }),
  },
  'a scenario': {
    after: ['import', 'a rejection'],
    status: 200,
    act: ({ send }, p) => send('PUT', `/_sandbox/projects/${p}/scenarios`, { scenarios: [late] }),
  },
  'an accepted import': {
    after: ['a scenario'],
    status: 202,
    act: ({ api }, p) => api('POST', `/async/projects/${p}/jobs`, { jobs: [{ id: 'B' }, { id: 'FAIL-1' }] }),
  },
  'due work': {
    after: ['a scenario', 'an accepted import'],
    status: 200,
    act: ({ send }, p) => send('POST', `/_sandbox/projects/${p}/clock/advance`, { by: '200ms' }),
  },
  'a callback': {
    after: ['a scenario', 'an accepted import', 'due work'],
    status: 200,
    isStoredInParts: true,
    act: ({ send }, p) => send('POST', `/_sandbox/projects/${p}/clock/advance`, { until: 'idle' }),
  },
  'a rejection': {
    after: ['import'],
    status: 400,
    act: ({ api }, p) => api('POST', `/sync/projects/${p}/jobs/batch`, { jobs: 'none' }),
  },
  'an order, as the lock is touched': {
    after: ['import', 'a rejection'],
    status: 200,
    act: ({ api, wall }, p) => {
      wall.pass(5000);
      return api('POST', `/sync/projects/${p}/orders`, { orders: [{ id: 'O' }] });
    },
  },
  'a restored snapshot': {
    after: ['import', 'a rejection'],
    status: 200,
    act: ({ send }, p) => send('PUT', `/_sandbox/projects/${p}/snapshot`, snapshot),
  },
  'a fork': {
    after: ['import'],
    status: 201,
    act: ({ send }, p) => send('POST', `/_sandbox/projects/${p}/fork`, { to: `${p}-fork` }),
  },
  'a reset': {
    after: ['import', 'a rejection'],
    status: 200,
    act: ({ send }, p) => send('POST', `/_sandbox/projects/${p}/reset`),
  },
  'an import after a reset': {
    after: ['import', 'a reset'],
    status: 200,
    act: ({ api }, p) => api('POST', `/sync/projects/${p}/jobs/batch`, { jobs: [{ id: 'A2' }] }),
  },
};

async function prepare(server: Running, { after }: Step, project: string): Promise<void> {
  for (const name of after) await steps[name]?.act(server, project);
}

/** What a client sees of a project, and of its fork, without the journal, which is not stored. */
async function look({ send }: Running, project: string): Promise<string> {
  const seen: unknown[] = [];
  for (const id of [project, `${project}-fork`]) {
    const { status, body } = await send('GET', `/_sandbox/projects/${id}`);
    const { clock, scenarios, callbackEndpoint, forkedFrom, counts } = body;
    seen.push(status, clock, scenarios, callbackEndpoint, forkedFrom?.change, { ...counts, requests: 0 });
  }
  return JSON.stringify(seen);
}

/** Copies the files of a project and its fork: what is left if the server is killed now. */
function copyFiles(from: string, to: string, project: string): void {
  mkdirSync(to, { recursive: true });
  const names = readdirSync(from).filter(
    (name) => name.startsWith(`${project}.`) || name.startsWith(`${project}-fork.`),
  );
  for (const name of names) cpSync(path.join(from, name), path.join(to, name));
}

/** A fault in a step, and what a client sees before and after the step. */
interface Case extends Step {
  readonly title: string;
  readonly fault: FileFault;
  readonly before: string;
  readonly done: string;
}

/** Plays each step without faults, and lists those that it can have. */
async function listCases(server: Running): Promise<readonly Case[]> {
  const cases: Case[] = [];
  for (const [number, [name, step]] of Object.entries(steps).entries()) {
    const project = `p${number}`;
    await prepare(server, step, project);
    const before = await look(server, project);
    const { result, faults } = await files.list(() => step.act(server, project));
    expect([name, result.status, faults.length > 0]).toEqual([name, step.status, true]);
    const done = await look(server, project);
    const [, secondWrite = 0] = new Set(faults.filter(({ name: call }) => call === 'open').map(({ at }) => at));
    const sure = step.isStoredInParts ? faults.filter(({ at }) => at < 2 * secondWrite) : faults;
    for (const fault of sure) cases.push({ ...step, title: `${name}: ${describeFault(fault)}`, fault, before, done });
  }
  return cases;
}

test(
  'of a project',
  async () => {
    const [folder, killed, killedLater] = [fresh(), fresh(), fresh()];
    const server = await run(folder);
    const cases = sampleOf(await listCases(server), 0).map((one, n) => {
      return { ...one, project: `q${n}`, possible: [one.done], seen: '' };
    });
    for (const one of cases) {
      const { title, project, act, status, done } = one;
      await prepare(server, one, project);
      const result = await files.play(one.fault, () => act(server, project));
      copyFiles(folder, killed, project);
      if (result.status !== status) {
        expectUnsaved(result, server, title);
        one.possible.push(one.before);
        const { items } = (await server.send('GET', '/_sandbox/projects?limit=1000')).body;
        expect(
          items.map(({ id }: { id: string }) => id),
          title,
        ).not.toContain(`${project}-fork`);
      }
      one.seen = await look(server, project);
      expect(one.possible, title).toContain(one.seen);
      copyFiles(folder, killedLater, project);
      if (one.seen !== done) expect((await act(server, project)).status, title).toBe(status);
      expect((await server.api('POST', `/sync/projects/${project}/orders`, { orders: [] })).status, title).toBe(200);
    }
    expect((await server.send('GET', '/_sandbox/health')).status).toBe(200);
    await server.close();

    const [ended, atFault, afterRead] = [await run(folder), await run(killed), await run(killedLater)];
    for (const { title, project, act, possible, seen, done } of cases) {
      const found = await look(atFault, project);
      if (!title.startsWith('a callback') || possible.includes(found))
        expect(possible, `${title}, then a kill`).toContain(found);
      else {
        // An advance is stored piece by piece, and goes on from there.
        await act(atFault, project);
        expect(await look(atFault, project), `${title}, then a kill and another advance`).toBe(done);
      }
      expect(await look(afterRead, project), `${title}, then a read and a kill`).toBe(seen);
      expect(await look(ended, project), `${title}, then the end`).toBe(done);
    }
  },
  slowly,
);

const listKeys = async ({ send }: Running): Promise<readonly string[]> =>
  (await send('GET', '/_sandbox/keys')).body.items.map(({ label }: { label: string }) => label);

test('of the keys', async () => {
  const folder = fresh();
  const server = await run(folder);
  const create = (label: string) => server.send('POST', '/_sandbox/keys', { projects: ['p'], label });
  const remove = async (label: string) => {
    const { items } = (await server.send('GET', '/_sandbox/keys')).body;
    const { id } = items.find((one: { label: string }) => one.label === label);
    return server.send('DELETE', `/_sandbox/keys/${id}`);
  };
  await create('first');
  const changes = [
    { name: 'create', status: 201, act: create, undo: remove, left: ['first', 'second'], before: ['first'] },
    { name: 'delete', status: 204, act: remove, undo: create, left: ['first'], before: ['first', 'second'] },
  ];
  for (const { name, status, act, undo, left, before } of changes) {
    const { faults } = await files.list(() => act('second'));
    for (const fault of sampleOf(faults, 2)) {
      const title = `${name}: ${describeFault(fault)}`;
      await undo('second');
      const result = await files.play(fault, () => act('second'));
      const killed = fresh();
      mkdirSync(killed);
      cpSync(path.join(folder, '.keys'), path.join(killed, '.keys'));
      const possible = result.status === status ? [left] : [before, left];
      if (result.status !== status) {
        expect(result.status, title).toBe(500);
        expect(await listKeys(server), title).toEqual(before);
        expect((await act('second')).status, title).toBe(status);
      }
      expect(await listKeys(server), title).toEqual(left);
      const next = await run(killed);
      expect(possible, title).toContainEqual(await listKeys(next));
      await next.close();
    }
  }
  await server.close();
  expect(await listKeys(await run(folder))).toEqual(['first']);
});

/** A folder of a server that was killed while it wrote a file. */
async function createUsedFolder() {
  const folder = fresh();
  const server = await run(folder);
  await prepare(server, steps['due work'] as Step, 'p');
  await server.send('POST', '/_sandbox/keys', { projects: ['p'], label: 'first' });
  const seen = await look(server, 'p');
  await server.close();
  mkdirSync(path.join(folder, '.writing-killed'));
  writeFileSync(path.join(folder, '.writing-killed/p.json'), '{"crc":"01234567",');
  return { folder, seen };
}

describe('of the start and the end', () => {
  let used: Awaited<ReturnType<typeof createUsedFolder>>;
  beforeAll(async () => {
    used = await createUsedFolder();
  });

  const copyUsed = (): string => {
    const folder = fresh();
    cpSync(used.folder, folder, { recursive: true });
    // Of a server on another machine that gave its last sign of life a minute ago.
    const lock = path.join(folder, '.lock');
    writeFileSync(lock, '{}');
    utimesSync(lock, Date.parse(instant) / 1000 - 60, Date.parse(instant) / 1000 - 60);
    return folder;
  };

  async function expectAll(server: Running, title: string): Promise<void> {
    expect(await look(server, 'p'), title).toBe(used.seen);
    expect(await listKeys(server), title).toEqual(['first']);
  }

  async function expectNextStart(folder: string, title: string): Promise<void> {
    // A lock that could not be removed names a process that has ended; that of the test has not.
    rmSync(path.join(folder, '.lock'), { force: true });
    const next = await run(folder);
    await expectAll(next, `${title}, then another start`);
    await next.close();
  }

  test(
    'a start rejects with the reason, or has everything',
    async () => {
      const unused = copyUsed();
      const { result: started, faults } = await files.list(() => run(unused));
      await started.close();
      for (const fault of sampleOf(faults, 3)) {
        const [folder, title] = [copyUsed(), describeFault(fault)];
        const result = await files.play(fault, () => run(folder).catch((error: unknown) => error as Error));
        if (result instanceof Error) {
          expect(result, title).toBeInstanceOf(ConfigError);
          expect(result.message, title).toMatch(/^--data: .*(EIO|ENOSPC)/);
        } else {
          await expectAll(result, title);
          await result.close();
        }
        await expectNextStart(folder, title);
      }
    },
    slowly,
  );

  test(
    'an end resolves, and the next start has everything',
    async () => {
      const first = await run(copyUsed());
      const { faults } = await files.list(() => first.close());
      for (const fault of sampleOf(faults, 3)) {
        const folder = copyUsed();
        const server = await run(folder);
        await files.play(fault, () => server.close());
        await expectNextStart(folder, describeFault(fault));
      }
    },
    slowly,
  );
});

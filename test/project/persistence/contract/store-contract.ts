/** What every store of projects does, seen through the registry: memory, the folder of `--data`, and a database. */
import { afterEach, describe, expect, test } from 'vitest';
import type { Endpoint } from '../../../../src/callbacks/callback.ts';
import type { Delivery } from '../../../../src/callbacks/send.ts';
import { defaultSecret } from '../../../../src/callbacks/signature.ts';
import { Journal } from '../../../../src/journal/journal.ts';
import { createSlices } from '../../../../src/lib/slices.ts';
import type { WallClock } from '../../../../src/lib/time.ts';
import { operations } from '../../../../src/operations/index.ts';
import { parseCommand } from '../../../../src/operations/parse-command.ts';
import { execute } from '../../../../src/project/commands/execute.ts';
import { copyState } from '../../../../src/project/fork/copy-state.ts';
import type { ProjectStore } from '../../../../src/project/persistence/project-store.ts';
import type { Project } from '../../../../src/project/project.ts';
import { ProjectRegistry } from '../../../../src/project/registry.ts';
import { emptyPlan } from '../../../../src/scenarios/effects/effect.ts';
import { createTestWall } from '../../../harness/wall.ts';
import { toSetting } from '../stored-project.ts';

/** A store that was opened, as a start of the server does. */
export interface OpenStore {
  /** Undefined: projects are in memory only. */
  readonly store?: ProjectStore;
  /** Makes a project available, as each request does. */
  ready?(project: string): Promise<void>;
  /** Called when a project is lost. */
  onLost?(lose: (project: string) => void): void;
}

/** Where stores keep projects: each `open` sees what those before it have stored. */
export interface Place {
  open(wall: WallClock): Promise<OpenStore>;
  /** Damages what is stored of a project. Undefined if nothing is stored. */
  damage?(project: string): Promise<void>;
}

export const endpoint: Endpoint = { url: 'http://receiver.test/', secret: defaultSecret, disabled: false };
const ids = ['p', 'P', 'a/b', '100%', '..', 'über', 'con', `${'x'.repeat(299)}a`, `${'x'.repeat(299)}b`, '__proto__'];
const day = 86_400_000;

/** Stores an order. */
function put(project: Project, id: string): void {
  project.nextChangeNumber();
  project.commit([{ put: { id }, into: 'orders', id }], 0);
}

const ordersOf = (project: Project | undefined) => project && [...project.state.records.orders.keys()];

/** Accepts an import of jobs, which is carried out 200 ms later. */
function importJobs(project: Project, ...jobs: readonly string[]): void {
  const operation = operations.asyncImportJobs;
  const body = { jobs: jobs.map((id) => ({ id })) };
  project.nextChangeNumber();
  execute(project, {
    operationId: 'asyncImportJobs',
    operation,
    mode: 'async',
    requestId: project.nextRequestId(),
    now: project.runDue(),
    ...parseCommand(operation, { projectId: project.id }, body, new Map()),
    plan: emptyPlan(),
    text: '',
    processingMs: 200,
  });
}

interface Opened {
  readonly projects: ProjectRegistry;
  ready(project: string): Promise<void>;
  /** Opens a project that must be available. */
  use(project: string): Promise<Project>;
  /** Finds a project, if it is available. */
  find(project: string): Promise<Project | undefined>;
  /** Takes all idle projects out of memory. */
  evict(): void;
  /** Ids of the callbacks that were sent. */
  readonly sent: string[];
  /** Ends the server, and starts another one. */
  restart(): Promise<Opened>;
  /** Ends the server. */
  close(): Promise<void>;
}

const running = new Set<Opened>();

async function openAt(place: Place): Promise<Opened> {
  const wall = createTestWall(day);
  const opened = await place.open(wall);
  const sent: string[] = [];
  const send = async ({ headers }: Delivery) => {
    sent.push(String(headers['webhook-id']));
    return { status: 204 };
  };
  const projects = new ProjectRegistry({
    options: toSetting(wall, { sender: { send }, endpoint }),
    journal: new Journal(),
    serverScenarios: [],
    magicIds: undefined,
    reportError: (error) => {
      throw error;
    },
    ...(opened.store && { store: opened.store }),
  });
  opened.onLost?.((project) => projects.lose(project));
  projects.resumeSaved();
  const ready = async (project: string): Promise<void> => opened.ready?.(project);
  const self: Opened = {
    projects,
    ready,
    use: async (project) => {
      await ready(project);
      return projects.open(project);
    },
    find: async (project) => {
      await ready(project);
      return projects.find(project);
    },
    evict: () => projects.evictIdle(Number.POSITIVE_INFINITY),
    sent,
    restart: async () => {
      await self.close();
      return openAt(place);
    },
    close: async () => {
      running.delete(self);
      projects.dispose();
      await opened.store?.close();
    },
  };
  running.add(self);
  return self;
}

/** Describes a store. `isKept`: whether it keeps projects that are not in memory. */
export function describeProjectStore(name: string, isKept: boolean, create: () => Promise<Place>): void {
  const start = async () => openAt(await create());
  afterEach(async () => {
    for (const one of running) await one.close();
  });

  describe(`a store of projects: ${name}`, () => {
    test('a project has the changes that were made to it', async () => {
      const { projects, use } = await start();
      put(await use('p'), 'A');
      put(await use('q'), 'B');
      put(await use('p'), 'C');
      await projects.persisted('p');
      await projects.persisted();
      expect(projects.persisted()).toBeUndefined();
      expect(ordersOf(projects.find('p'))).toEqual(['A', 'C']);
      expect([...projects.ids()].toSorted()).toEqual(['p', 'q']);
      expect(projects.has('nobody')).toBe(false);
    });

    test('a reset discards a project, and tells what it cancels', async () => {
      const { projects, use } = await start();
      const project = await use('p');
      put(project, 'A');
      importJobs(project, 'J');
      await projects.persisted();
      expect(projects.reset('p')).toEqual({ instructions: 1, callbacks: 0 });
      expect(projects.has('p')).toBe(false);
      await projects.persisted();
      expect(ordersOf(await use('p'))).toEqual([]);
    });

    test('late changes of a reset project do not affect the project that replaced it', async () => {
      const { projects, use } = await start();
      const old = await use('p');
      put(old, 'A');
      projects.reset('p');
      await projects.persisted();
      put(await use('p'), 'B');
      await projects.persisted();
      put(old, 'late');
      expect(old.persisted()).toBeUndefined();
      put(await use('p'), 'C');
      await projects.persisted();
      expect(ordersOf(projects.find('p'))).toEqual(['B', 'C']);
    });
  });

  describe.skipIf(!isKept)(`a store that keeps projects: ${name}`, () => {
    test('each project is there after a restart, whatever its id: an end of the server completes all writes', async () => {
      const { use, restart } = await start();
      for (const id of ids) put(await use(id), `of ${id}`);
      const again = await restart();
      for (const id of ids) expect(ordersOf(await again.find(id))).toEqual([`of ${id}`]);
    });

    test('a project that was only read is not stored', async () => {
      const { projects, find, use, restart } = await start();
      expect(await find('q')).toBeUndefined();
      expect(projects.has('q')).toBe(false);
      await use('p');
      expect(projects.persisted()).toBeUndefined();
      const again = await restart();
      expect(await again.find('p')).toBeUndefined();
    });

    test('many changes, each written on its own, are all there in their order', async () => {
      const { projects, use, restart } = await start();
      const orders = Array.from({ length: 50 }, (_, n) => `A-${n}`);
      for (const id of orders) {
        put(await use('p'), id);
        await projects.persisted('p');
      }
      const again = await restart();
      expect(ordersOf(await again.find('p'))).toEqual(orders);
    });

    test('parallel changes wait for a write that has them', async () => {
      const { projects, use, restart } = await start();
      const project = await use('p');
      const put100 = (prefix: string) => Array.from({ length: 100 }, (_, n) => put(project, `${prefix}-${n}`)).length;
      put100('A');
      const first = project.persisted();
      await Promise.resolve();
      put100('B');
      await first;
      await projects.persisted('p');
      expect(project.persisted()).toBeUndefined();
      const again = await restart();
      expect(ordersOf(await again.find('p'))).toHaveLength(200);
    });

    test('evicted projects are loaded again when they are used, even before they were written', async () => {
      const { projects, use, evict } = await start();
      put(await use('first'), 'A');
      await projects.persisted();
      put(await use('second'), 'B');
      evict();
      expect(projects.list()).toEqual([]);
      expect(ordersOf(await use('second'))).toEqual(['B']);
      expect(ordersOf(await use('first'))).toEqual(['A']);
      put(await use('second'), 'C');
      await projects.persisted();
      evict();
      expect(ordersOf(await use('second'))).toEqual(['B', 'C']);
    });

    test('a project is not evicted while requests are in it', async () => {
      const { projects, use, evict, restart } = await start();
      const project = await use('p');
      await projects.enter('p');
      await projects.enter('p');
      put(project, 'A');
      await projects.persisted();
      projects.leave('p');
      evict();
      put(project, 'B');
      await projects.persisted('p');
      projects.leave('p');
      evict();
      expect(project.isDisposed()).toBe(true);
      const again = await restart();
      expect(ordersOf(await again.find('p'))).toEqual(['A', 'B']);
    });

    test('a project that was reset is gone after a restart, and its successor is there', async () => {
      const { projects, use, restart } = await start();
      for (const id of ['p', 'q', 'r']) put(await use(id), 'A');
      await projects.persisted();
      for (const id of ['p', 'q']) projects.reset(id);
      await projects.persisted();
      put(await use('q'), 'B');
      await projects.persisted();
      const again = await restart();
      expect(await again.find('p')).toBeUndefined();
      expect(ordersOf(await again.find('q'))).toEqual(['B']);
      expect(ordersOf(await again.find('r'))).toEqual(['A']);
      again.projects.resetAll();
      await again.projects.persisted();
      const last = await again.restart();
      for (const id of ['p', 'q', 'r']) expect(await last.find(id)).toBeUndefined();
    });

    test('a reset before the first write leaves nothing', async () => {
      const { projects, use, restart } = await start();
      put(await use('p'), 'A');
      projects.reset('p');
      const again = await restart();
      expect(await again.find('p')).toBeUndefined();
    });

    test('a fork is stored as a project of its own', async () => {
      const { projects, ready, use, restart } = await start();
      const project = await use('p');
      put(project, 'A');
      const from = { project: 'p', change: 1 };
      const slices = createSlices(createTestWall(day));
      const state = await copyState(project.state, { to: 'fork', from, seed: 'test', endpoint, slices });
      await ready('fork');
      projects.addFork('fork', { state });
      put(project, 'B');
      await projects.persisted();
      const again = await restart();
      expect(ordersOf(await again.find('fork'))).toEqual(['A']);
      expect((await again.find('fork'))?.state.forkedFrom).toEqual(from);
      expect(ordersOf(await again.find('p'))).toEqual(['A', 'B']);
    });

    test('callbacks and due work survive a restart, and each is carried out once', async () => {
      const { projects, use, sent, restart } = await start();
      const project = await use('p');
      importJobs(project, 'J');
      await project.schedule.advance(() => ({ to: project.now() + 1000, stopIdle: false }));
      importJobs(project, 'J');
      importJobs(project, 'K');
      await projects.persisted();
      const next = project.state.requestCount;
      expect(sent).toEqual([]);
      const again = await restart();
      const restarted = (await again.find('p')) as Project;
      expect(restarted.pending()).toMatchObject({ instructions: 2 });
      expect(restarted.state.requestCount).toBe(next);
      expect(restarted.now()).toBe(project.now());
      await restarted.schedule.advance(() => ({ to: restarted.now() + 1000, stopIdle: false }));
      expect([...restarted.state.records.jobs.keys()]).toEqual(['J', 'K']);
      expect(again.sent).toHaveLength(1);
      await again.projects.persisted();
      const last = await again.restart();
      const done = (await last.find('p')) as Project;
      expect(done.pending()).toEqual({ instructions: 0, callbacks: 0 });
      expect([...done.state.callbacks.values()]).toMatchObject([{ id: again.sent[0], state: 'delivered' }]);
      await done.schedule.advance(() => ({ to: done.now() + day, stopIdle: false }));
      expect(last.sent).toEqual([]);
    });

    test('a project whose data is damaged is reported, and not changed', async () => {
      const place = await create();
      const { projects, use, close } = await openAt(place);
      put(await use('p'), 'A');
      await projects.persisted();
      await close();
      await place.damage?.('p');
      const look = async () => (await openAt(place)).find('p');
      for (let count = 0; count < 2; count += 1) {
        await expect(look()).rejects.toThrow('invalid JSON');
        for (const one of running) await one.close();
      }
    });
  });
}

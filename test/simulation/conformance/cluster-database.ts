/** What every database of replicas does: the real one, and the one of the simulation. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Claim, ClusterDatabase, ProjectWrite } from '../../../src/cluster/database/cluster-database.ts';
import { noItems } from '../../../src/cluster/store/owned-project.ts';

export interface OpenDatabase {
  readonly database: ClusterDatabase;
  /** Lets time pass on the clock of the database. */
  pass(ms: number): Promise<void>;
}

const leaseMs = 60_000;
const shortMs = 100;

/** Describes a database. Other tests may use the same one before, but not meanwhile. */
export function describeClusterDatabase(name: string, open: () => Promise<OpenDatabase>): void {
  describe(`a database of replicas: ${name}`, () => {
    let opened: OpenDatabase;
    let database: ClusterDatabase;
    beforeAll(async () => {
      opened = await open();
      database = opened.database;
      return () => database.close();
    });

    const join = async (more: { readonly leaseMs?: number; readonly settings?: string } = {}) => {
      const id = `replica-${randomUUID()}`;
      await database.join({ id, url: `http://${id}:1`, leaseMs, settings: 's', ...more });
      return id;
    };
    const fence = async (replica: string) => expect(await database.fenceSilent(replica, -1)).toBe(true);
    const freshProject = () => `project-${randomUUID()}`;
    const claim = async (project: string, replica: string) => {
      const claimed = await database.claim(project, replica);
      if (claimed.owner !== 'me') throw new Error(`the claim was refused: ${JSON.stringify(claimed)}`);
      return claimed;
    };
    const write = async (line: Pick<ProjectWrite, 'project' | 'epoch' | 'seq'> & Partial<ProjectWrite>) => {
      const whole = { kind: 'whole', text: `line ${line.seq}\n`, isDue: false, ...noItems } as const;
      return (await database.write([{ ...whole, ...line }])).get(line.project) === 'written';
    };
    /** Returns projects in the order in which the database lists them. */
    const inOrder = async (...projects: readonly string[]) =>
      (await database.listProjects(-1, 100_000)).map(({ id }) => id).filter((id) => projects.includes(id));
    const livingIds = async (lease = leaseMs) => (await database.listLiving(lease)).map(({ id }) => id);
    const wins = (claims: readonly Claim[]) => claims.filter(({ owner }) => owner === 'me');

    describe('membership', () => {
      test('a replica learns the settings of the other living ones when it joins', async () => {
        const settings = randomUUID();
        const first = await join({ settings });
        const joining = { id: `replica-${randomUUID()}`, url: 'http://b:1', leaseMs, settings: 'own' };
        expect(await database.join(joining)).toContain(settings);
        expect(await database.join(joining)).not.toContain('own');
        await fence(first);
        expect(await database.join(joining)).not.toContain(settings);
      });

      test('settings of a replica whose lease has ended do not count', async () => {
        const settings = randomUUID();
        await join({ settings, leaseMs: shortMs });
        await opened.pass(2 * shortMs);
        expect(await database.join({ id: `replica-${randomUUID()}`, url: '', leaseMs, settings: 'x' })).not.toContain(
          settings,
        );
      });

      test('a lease that ends fences its replica for good, on the clock of the database', async () => {
        // The first look must come within it.
        const slowMs = 10 * shortMs;
        const [ending, lasting] = [await join({ leaseMs: slowMs }), await join()];
        expect(await livingIds(1)).toContain(ending);
        await opened.pass(2 * slowMs);
        // Nobody has looked, so it can still be renewed.
        expect(await database.renew(ending, slowMs)).toBe(true);
        await opened.pass(2 * slowMs);
        const living = await livingIds(1);
        expect(living).not.toContain(ending);
        expect(living).toContain(lasting);
        expect(await database.renew(ending, leaseMs)).toBe(false);
        expect(await database.isUnfenced(ending)).toBe(false);
        expect(await database.isUnfenced(lasting)).toBe(true);
      });

      test('lists living replicas with the time since they renewed their lease, by id', async () => {
        const ids = [await join(), await join()].toSorted();
        await opened.pass(shortMs);
        const [renewed = ''] = ids;
        await database.renew(renewed, leaseMs);
        const living = (await database.listLiving(leaseMs)).filter(({ id }) => ids.includes(id));
        expect(living.map(({ id }) => id)).toEqual(ids);
        expect(living.map(({ url }) => url)).toEqual(ids.map((id) => `http://${id}:1`));
        expect(living[0]?.silentMs).toBeLessThan(living[1]?.silentMs ?? 0);
        expect(living[1]?.silentMs).toBeGreaterThanOrEqual(shortMs);
      });

      test('a replica is fenced early only if it was silent', async () => {
        const replica = await join();
        expect(await database.fenceSilent(replica, 60_000)).toBe(false);
        expect(await database.isUnfenced(replica)).toBe(true);
        await opened.pass(2 * shortMs);
        expect(await database.fenceSilent(replica, shortMs)).toBe(true);
        expect(await database.isUnfenced(replica)).toBe(false);
        expect(await database.fenceSilent(replica, 60_000)).toBe(true);
      });

      test('a replica that has left or never joined is neither living nor unfenced', async () => {
        const replica = await join();
        await database.leave(replica);
        expect(await livingIds()).not.toContain(replica);
        expect(await database.isUnfenced(replica)).toBe(false);
        expect(await database.renew(replica, leaseMs)).toBe(false);
        expect(await database.fenceSilent(replica, 60_000)).toBe(true);
        expect(await database.claim(freshProject(), replica)).toEqual({ owner: 'fenced' });
      });
    });

    describe('ownership', () => {
      test('a project is nowhere, then at its owner, then free', async () => {
        const [project, owner] = [freshProject(), await join()];
        expect(await database.locate(project)).toBeUndefined();
        const { epoch } = await claim(project, owner);
        const replica = { id: owner, url: `http://${owner}:1` };
        expect(await database.locate(project)).toEqual({ replica, epoch, seq: 0, isWritten: false });
        await fence(owner);
        expect(await database.locate(project)).toEqual({ replica: undefined, epoch, seq: 0, isWritten: false });
      });

      test('a claim creates a project without lines; projects are numbered in the order of their creation', async () => {
        const [first, second, owner] = [freshProject(), freshProject(), await join()];
        const claims = [await claim(first, owner), await claim(second, owner)] as const;
        expect(claims[0]).toMatchObject({ owner: 'me', seq: 0, lines: [] });
        expect(await inOrder(second, first)).toEqual([]);
        await write({ project: second, epoch: claims[1].epoch, seq: 1 });
        await write({ project: first, epoch: claims[0].epoch, seq: 1 });
        expect(await inOrder(second, first)).toEqual([first, second]);
      });

      test('a claim of a project with a living owner is refused', async () => {
        const [project, owner, other] = [freshProject(), await join(), await join()];
        const { epoch } = await claim(project, owner);
        const refused = await database.claim(project, other);
        expect(refused).toEqual({ owner: 'other', replica: { id: owner, url: `http://${owner}:1` }, epoch });
        expect(await write({ project, epoch, seq: 1 })).toBe(true);
      });

      test('an owner that claims its project again gets its lines and a new epoch', async () => {
        const [project, owner] = [freshProject(), await join()];
        const first = await claim(project, owner);
        await write({ project, epoch: first.epoch, seq: 1 });
        const again = await claim(project, owner);
        expect(again).toMatchObject({ seq: 1, lines: ['line 1\n'] });
        expect(again.epoch).toBeGreaterThan(first.epoch);
        expect(await write({ project, epoch: first.epoch, seq: 2 })).toBe(false);
      });

      test('a fenced replica claims nothing', async () => {
        const [project, replica] = [freshProject(), await join()];
        await fence(replica);
        expect(await database.claim(project, replica)).toEqual({ owner: 'fenced' });
        expect(await database.locate(project)).toBeUndefined();
      });

      test('one of several parallel claims succeeds', async () => {
        const [project, before] = [freshProject(), await join()];
        const replicas = await Promise.all(Array.from({ length: 5 }, () => join()));
        expect(wins(await Promise.all(replicas.map((one) => database.claim(freshProject(), one))))).toHaveLength(5);
        expect(wins(await Promise.all(replicas.map((one) => database.claim(project, one))))).toHaveLength(1);
        const other = freshProject();
        await claim(other, before);
        await fence(before);
        expect(wins(await Promise.all(replicas.map((one) => database.claim(other, one))))).toHaveLength(1);
      });

      test('a released project is free, and keeps its lines', async () => {
        const [project, owner, other] = [freshProject(), await join(), await join()];
        const { epoch } = await claim(project, owner);
        await write({ project, epoch, seq: 1 });
        await database.release(project, epoch);
        expect(await database.locate(project)).toMatchObject({ replica: undefined, isWritten: true });
        expect(await write({ project, epoch, seq: 2 })).toBe(false);
        expect(await claim(project, other)).toMatchObject({ seq: 1, lines: ['line 1\n'] });
        await database.release(project, epoch);
        expect(await database.locate(project)).toMatchObject({ replica: { id: other } });
      });

      test('a project without lines ends to exist when it is released', async () => {
        const [project, owner] = [freshProject(), await join()];
        const { epoch } = await claim(project, owner);
        await database.release(project, epoch - 1);
        expect(await database.locate(project)).toMatchObject({ replica: { id: owner } });
        await database.release(project, epoch);
        expect(await database.locate(project)).toBeUndefined();
      });

      test('a wanted project is listed for its owner until it is given up or claimed', async () => {
        const [project, owner, other] = [freshProject(), await join(), await join()];
        const { epoch } = await claim(project, owner);
        await write({ project, epoch, seq: 1 });
        await database.want(project, owner);
        expect(await database.listWanted(owner)).toEqual([]);
        await database.want(project, other);
        expect(await database.listWanted(owner)).toEqual([project]);
        expect(await database.listWanted(other)).toEqual([]);
        await database.release(project, epoch);
        expect(await database.listWanted(owner)).toEqual([]);
        await claim(project, owner);
        expect(await database.listWanted(owner)).toEqual([]);
        await database.want(project, other);
        await claim(project, owner);
        expect(await database.listWanted(owner)).toEqual([]);
        await expect(database.want(freshProject(), other)).resolves.toBeUndefined();
      });
    });

    describe('the log', () => {
      /** Creates a project with its owner. */
      const start = async () => {
        const [project, owner] = [freshProject(), await join()];
        const { epoch } = await claim(project, owner);
        return { project, owner, epoch };
      };
      const linesOf = async (project: string, owner: string) => (await claim(project, owner)).lines;

      test('a whole line replaces those before it, and changes follow it', async () => {
        const { project, owner, epoch } = await start();
        const text = 'line 2\n"ü🚚\\u0001\u2028\n';
        expect(await write({ project, epoch, seq: 1 })).toBe(true);
        expect(await write({ project, epoch, seq: 2, kind: 'changes', text })).toBe(true);
        const claimed = await claim(project, owner);
        expect(claimed.lines).toEqual(['line 1\n', text]);
        expect(await write({ project, epoch: claimed.epoch, seq: 3 })).toBe(true);
        expect(await linesOf(project, owner)).toEqual(['line 3\n']);
      });

      test('items of the journal stay after a whole line, as long as the journal has them', async () => {
        const { project, owner, epoch } = await start();
        const change = (seq: number, items: string, newest: number | null) =>
          write({ project, epoch, seq, kind: 'changes', items, newest });
        const itemsOf = async () => (await claim(project, owner)).items;
        await write({ project, epoch, seq: 1 });
        await change(2, 'one\n', 1);
        await change(3, 'two\nthree\n', 3);
        await change(4, '', null);
        await change(5, 'one again\n', 1);
        await write({ project, epoch, seq: 6, oldest: 1 });
        await change(7, 'four\n', 4);
        const claimed = await claim(project, owner);
        expect(claimed.items).toEqual(['one\n', 'two\nthree\n', 'one again\n', 'four\n']);
        expect(claimed.lines).toEqual(['line 6\n', 'line 7\n']);
        await write({ project, epoch: claimed.epoch, seq: 8, oldest: 3 });
        const again = await claim(project, owner);
        expect(again.items).toEqual(['two\nthree\n', 'four\n']);
        await write({ project, epoch: again.epoch, seq: 9, kind: 'removal', text: '' });
        expect(await itemsOf()).toEqual([]);
      });

      test('a line with another number than the next one is refused', async () => {
        const { project, owner, epoch } = await start();
        expect(await write({ project, epoch, seq: 2 })).toBe(false);
        expect(await write({ project, epoch, seq: 1 })).toBe(true);
        expect(await write({ project, epoch, seq: 3, kind: 'changes' })).toBe(false);
        expect(await linesOf(project, owner)).toEqual(['line 1\n']);
      });

      test('a line that was written already counts as written, and is there once', async () => {
        const { project, owner, epoch } = await start();
        expect(await write({ project, epoch, seq: 1 })).toBe(true);
        expect(await write({ project, epoch, seq: 2, kind: 'changes' })).toBe(true);
        expect(await write({ project, epoch, seq: 2, kind: 'changes' })).toBe(true);
        expect(await linesOf(project, owner)).toEqual(['line 1\n', 'line 2\n']);
      });

      test('a late line of a fenced owner is refused once another replica has the project', async () => {
        const { project, owner, epoch } = await start();
        expect(await write({ project, epoch, seq: 1 })).toBe(true);
        await fence(owner);
        const other = await join();
        const claimed = await claim(project, other);
        expect(await write({ project, epoch, seq: 2 })).toBe(false);
        expect(await write({ project, epoch, seq: 1 })).toBe(false);
        expect(await database.locate(project)).toMatchObject({ epoch: claimed.epoch, seq: 1, isWritten: true });
        expect(await write({ project, epoch: claimed.epoch, seq: 2, kind: 'changes' })).toBe(true);
        expect(await linesOf(project, other)).toEqual(['line 1\n', 'line 2\n']);
      });

      test('of lines of several projects, the others are written if one is refused', async () => {
        const [one, two, three] = [await start(), await start(), await start()];
        const line = { seq: 1, kind: 'whole', text: 'x\n', isDue: false, ...noItems } as const;
        const lines = [one, { ...two, epoch: two.epoch - 1 }, three].map(({ project, epoch }) => ({
          ...line,
          project,
          epoch,
        }));
        const results = await database.write(lines);
        expect([one, two, three].map(({ project }) => results.get(project))).toEqual(['written', 'lost', 'written']);
        expect(await linesOf(two.project, two.owner)).toEqual([]);
        expect(await linesOf(three.project, three.owner)).toEqual(['x\n']);
      });

      test('64 lines are written at once', async () => {
        const owner = await join();
        const projects = Array.from({ length: 64 }, freshProject);
        const claims = await Promise.all(projects.map((project) => claim(project, owner)));
        const lines = claims.map(({ epoch }, n): ProjectWrite => {
          return {
            project: projects[n] ?? '',
            epoch,
            seq: 1,
            kind: 'whole',
            text: `${n}\n`,
            isDue: false,
            ...noItems,
          };
        });
        expect(new Set((await database.write(lines)).values())).toEqual(new Set(['written']));
        expect(await linesOf(projects[63] ?? '', owner)).toEqual(['63\n']);
      });

      test('a removal empties the log, and makes the project the newest', async () => {
        const [{ project, owner, epoch }, later] = [await start(), await start()];
        await write({ project, epoch, seq: 1 });
        await write({ ...later, seq: 1 });
        expect(await inOrder(later.project, project)).toEqual([project, later.project]);
        expect(await write({ project, epoch, seq: 2, kind: 'removal', text: '' })).toBe(true);
        const claimed = await claim(project, owner);
        expect(claimed).toMatchObject({ seq: 2, lines: [] });
        expect(await inOrder(later.project, project)).toEqual([later.project]);
        await write({ project, epoch: claimed.epoch, seq: 3 });
        expect(await inOrder(later.project, project)).toEqual([later.project, project]);
        await write({ project, epoch: claimed.epoch, seq: 4, kind: 'removal', text: '' });
        await database.release(project, claimed.epoch);
        expect(await database.locate(project)).toBeUndefined();
      });

      test('a project that was removed and created again has a new epoch', async () => {
        const { project, owner, epoch } = await start();
        await database.release(project, epoch);
        expect((await claim(project, owner)).epoch).toBeGreaterThan(epoch);
        expect(await write({ project, epoch, seq: 1 })).toBe(false);
      });

      test('lists due projects without a living owner, those first that are due longest', async () => {
        const [one, two, idle, owned] = [await start(), await start(), await start(), await start()];
        const own = new Set([one, two, idle, owned].map(({ project }) => project));
        const orphans = async () => (await database.listOrphans(1000)).filter((project) => own.has(project));
        await write({ ...two, seq: 1, isDue: true });
        await write({ ...owned, seq: 1, isDue: true });
        await opened.pass(5);
        await write({ ...one, seq: 1, isDue: true });
        await write({ ...idle, seq: 1, isDue: true });
        // A later line keeps the time; one without work removes it.
        await write({ ...two, seq: 2, kind: 'changes', isDue: true });
        await write({ ...idle, seq: 2, kind: 'changes', isDue: false });
        expect(await orphans()).toEqual([]);
        for (const { owner } of [one, two, idle]) await fence(owner);
        expect(await orphans()).toEqual([two.project, one.project]);
        expect(await database.listOrphans(1)).toHaveLength(1);
        await database.release(owned.project, owned.epoch);
        expect(await orphans()).toEqual([two.project, owned.project, one.project]);
        await claim(two.project, owned.owner);
        expect(await orphans()).toEqual([owned.project, one.project]);
      });

      test('when all projects are removed, their owners lose them', async () => {
        const { project, owner, epoch } = await start();
        await write({ project, epoch, seq: 1 });
        expect((await database.removeAll()).length).toBeGreaterThan(0);
        expect(await database.removeAll()).toEqual([]);
        expect(await database.locate(project)).toBeUndefined();
        expect(await write({ project, epoch, seq: 2, kind: 'changes' })).toBe(false);
        const again = await claim(project, owner);
        expect(again).toMatchObject({ seq: 0, lines: [] });
        expect(again.epoch).toBeGreaterThan(epoch);
        expect(await write({ project, epoch, seq: 1 })).toBe(false);
      });
    });

    describe('shared settings', () => {
      test('a setting is stored if its version is the expected one', async () => {
        const key = randomUUID();
        expect(await database.read(key)).toBeUndefined();
        expect(await database.store(key, 1, 'early')).toBe(false);
        expect(await database.read(key)).toBeUndefined();
        expect(await database.store(key, 0, 'one')).toBe(true);
        expect(await database.read(key)).toEqual({ version: 1, value: 'one' });
        expect(await database.store(key, 0, 'other')).toBe(false);
        expect(await database.store(key, 1, 'two')).toBe(true);
        expect(await database.store(key, 3, 'late')).toBe(false);
        expect(await database.read(key)).toEqual({ version: 2, value: 'two' });
      });

      test('a setting that was stored already counts as stored', async () => {
        const key = randomUUID();
        expect(await database.store(key, 0, 'one')).toBe(true);
        expect(await database.store(key, 0, 'one')).toBe(true);
        expect(await database.read(key)).toEqual({ version: 1, value: 'one' });
      });

      test('of parallel changes of one version, one succeeds', async () => {
        const key = randomUUID();
        const stored = await Promise.all(['a', 'b', 'c', 'd'].map((value) => database.store(key, 0, value)));
        expect(stored.filter((one) => one)).toHaveLength(1);
      });
    });
  });
}

/** Killed at any moment, under load and while it starts, a sandbox with `--data` has all that was answered. */
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { useBuiltProgram } from '../harness/program.ts';
import { useReceiver } from '../harness/receiver.ts';
import { createDice } from '../model/dice.ts';
import { createImporter, createLateImporter, createUpdater, type Site, type Worker } from './importers.ts';
import { createClockMover, createResetter, createScenarioSetter } from './setters.ts';

const program = useBuiltProgram();
const receiver = useReceiver();
const { kills } = inject('amounts');
const seed = inject('seed');

/** Of every callback that came, by the id of the job that it tells of: the ids that it came with. */
function receiveAll(): ReadonlyMap<string, ReadonlySet<string>> {
  const told = new Map<string, Set<string>>();
  receiver.handle(({ headers, body }) => {
    const failed = JSON.parse(body).data.failed as readonly { id: string }[];
    const isFirst = failed.some(({ id }) => !told.has(id));
    for (const { id } of failed) told.set(id, (told.get(id) ?? new Set()).add(String(headers['webhook-id'])));
    // Some have to be sent again.
    return isFirst && failed.some(({ id }) => id.endsWith('7')) ? 503 : 204;
  });
  return told;
}

function createWorkers(told: ReadonlyMap<string, unknown>): { readonly workers: readonly Worker[]; ids: Set<string> } {
  const ids = new Set<string>();
  let number = 0;
  const site = (project: string): Site => {
    number += 1;
    const noteId = (id: string | null): void => {
      expect(ids.has(String(id)), `request id ${id} came twice`).toBe(false);
      ids.add(String(id));
    };
    return { project, name: `w${number}`, dice: createDice(seed * 100 + number), noteId };
  };
  const workers = [
    ...['alpha', 'alpha', 'Beta', 'Beta'].map((project) => createImporter(site(project))),
    ...['alpha', 'Beta'].map((project) => createLateImporter(site(project), told)),
    createUpdater(site('heavy')),
    createClockMover(site('frozen'), told),
    createScenarioSetter(site('ruled')),
    createResetter(site('short-lived')),
  ];
  return { workers, ids };
}

const max = { timeout: 300_000 };

test(
  'after kills at random moments under load, answered requests are stored and rejected ones are not',
  max,
  async () => {
    const dice = createDice(seed);
    const folder = path.join(program.folder, 'kept');
    const profile = path.join(program.folder, 'profile.yaml');
    writeFileSync(profile, 'callbacks: { retries: [50ms, 100ms, 200ms, 400ms] }\n');
    const args = ['--log', 'off', '--data', folder, '--profile', profile, '--callback-url', receiver.url()];
    const told = receiveAll();
    const { workers, ids } = createWorkers(told);
    let server = await program.startReady(args);
    for (const worker of workers) await worker.begin?.(server.url);
    for (let kill = 1; kill <= kills; kill += 1) {
      const { url, child, ended } = server;
      setTimeout(() => child.kill('SIGKILL'), 100 + dice.below(900));
      await Promise.all(workers.map((worker) => worker.work(url)));
      const { code, err } = await ended;
      expect({ code, err }).toEqual({ code: null, err: '' });
      if (dice.often(25)) {
        const starting = program.start([...args, '--port', '0', '--host', '127.0.0.1']);
        setTimeout(() => starting.child.kill('SIGKILL'), dice.below(400));
        expect((await starting.ended).code).toBeNull();
      }
      server = await program.startReady(args);
      await Promise.all(workers.map((worker) => worker.check(server.url)));
      console.log(`kill ${kill} of ${kills}: ${ids.size} requests answered so far, ${told.size} failures told`);
    }
    for (const worker of workers) expect(worker.answers()).toBeGreaterThan(kills);
    for (const [id, came] of told) expect(came.size, `callbacks that told of ${id}`).toBe(1);
    server.child.kill('SIGTERM');
    expect(await server.ended).toMatchObject({ code: 0, err: '' });
    expect(readdirSync(folder).filter((name) => !/^[\w%-]+\.json(\.log)?$/.test(name))).toEqual([]);
  },
);

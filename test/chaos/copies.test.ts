/** What is on the disk at each answer: a server that goes on with a copy of it has all that was answered by then. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { ask } from '../flows/data-steps.ts';
import { type Ready, useBuiltProgram } from '../harness/program.ts';
import { createDice, type Dice } from '../model/dice.ts';
import { listJobs } from '../rig/list-jobs.ts';
import { useDisks } from './disks.ts';

const program = useBuiltProgram();
const disks = useDisks();
const { copies } = inject('amounts');
const seed = inject('seed');
const noImages = disks.findNone('image');
if (noImages) console.warn(`SKIPPED: a power loss, since ${noImages}.`);
const noProcesses = existsSync('/proc/self/stat') ? undefined : 'the system shows no states of processes';
if (noProcesses) console.warn(`SKIPPED: copies of a folder at each answer, since ${noProcesses}.`);

const start = (data: string): Promise<Ready> => program.startReady(['--log', 'off', '--data', data]);

/** What has been answered: jobs that are stored, and jobs that a reset removed. */
interface Answered {
  readonly stored: ReadonlySet<string>;
  readonly gone: ReadonlySet<string>;
  /** A reset is asked for and not answered yet: it may have taken effect, and removed all that is stored. */
  readonly resetting: boolean;
}

interface Steps {
  asked(now: Answered): void;
  answered(now: Answered): void;
}

interface Client {
  /** How many requests were answered. */
  readonly answers: () => number;
  work(url: string, until: () => boolean, steps: Steps): Promise<void>;
}

/** Imports into a project of its own, and resets that now and then. */
function createClient(name: string, dice: Dice): Client {
  let stored = new Set<string>();
  let gone = new Set<string>();
  let made = 0;
  return {
    answers: () => made,
    work: async (url, until, steps) => {
      while (!until()) {
        made += 1;
        const id = `${name}-${made}`;
        const jobs = [{ id, secondaryReference: 'x'.repeat(dice.below(30_000)) }];
        // By their log and by whole files: a project's log is folded when it is as long as its file.
        const resetting = dice.often(4);
        steps.asked({ stored, gone, resetting });
        const told = resetting
          ? await ask(`${url}/_sandbox/projects/${name}/reset`, 'POST')
          : await ask(`${url}/sync/projects/${name}/jobs/batch`, 'POST', { jobs });
        expect(told.status).toBe(200);
        if (resetting) [stored, gone] = [new Set(), new Set([...gone, ...stored])];
        else stored = new Set([...stored, id]);
        steps.answered({ stored, gone, resetting: false });
      }
    },
  };
}

/** Stops a process and waits until none of its threads runs or waits for the disk: the copy is of one moment. */
function duringPause<Result>({ pid }: Ready['child'], act: () => Result): Result {
  const threads = `/proc/${pid}/task`;
  process.kill(Number(pid), 'SIGSTOP');
  while (!readdirSync(threads).every((id) => /\) T /.test(readFileSync(`${threads}/${id}/stat`, 'utf8'))));
  try {
    return act();
  } finally {
    process.kill(Number(pid), 'SIGCONT');
  }
}

/** Lets clients work, and takes a copy at some of their answers; each copy comes with all that was answered by then. */
async function collect<Copy>(server: Ready, takeCopy: () => Copy): Promise<{ copy: Copy; answers: Answered[] }[]> {
  const dice = createDice(seed);
  const clients = ['A', 'B', 'C'].map((name, n) => createClient(name, createDice(seed * 10 + n)));
  const latest: Answered[] = clients.map(() => ({ stored: new Set(), gone: new Set(), resetting: false }));
  const taken: { copy: Copy; answers: Answered[] }[] = [];
  const isEnough = () => taken.length >= copies;
  await Promise.all(
    clients.map((client, n) =>
      client.work(server.url, isEnough, {
        asked: (now) => {
          latest[n] = now;
        },
        answered: (now) => {
          latest[n] = now;
          // The first answer of each, too, since that is a file that is new.
          if (!isEnough() && (client.answers() === 1 || dice.often(10)))
            taken.push({ copy: takeCopy(), answers: [...latest] });
        },
      }),
    ),
  );
  return taken;
}

async function expectAnswered(data: string, answers: readonly Answered[]): Promise<void> {
  const server = await start(data);
  for (const [n, { stored, gone, resetting }] of answers.entries()) {
    const there = await listJobs(server.url, 'ABC'.charAt(n));
    const missing = [...stored].filter((id) => !there.has(id));
    // A reset removes all or nothing.
    expect(missing).toEqual(resetting && missing.length ? [...stored] : []);
    expect([...gone].filter((id) => there.has(id))).toEqual([]);
  }
  await server.stop('SIGKILL');
}

const max = { timeout: 300_000 };

test.skipIf(noProcesses)('a copy of the folder contains all requests that were answered before', max, async () => {
  const data = path.join(program.folder, 'copied');
  const server = await start(data);
  let count = 0;
  const taken = await collect(server, () => {
    count += 1;
    const copy = `${data}-${count}`;
    duringPause(server.child, () => cpSync(data, copy, { recursive: true }));
    return copy;
  });
  await server.stop();
  for (const { copy, answers } of taken) await expectAnswered(copy, answers);
  console.log(`${taken.length} copies: all that was answered is there`);
});

test.skipIf(noImages ?? noProcesses)(
  'after a power loss the disk contains all requests that were answered before',
  max,
  async () => {
    const disk = disks.createImage();
    // The folder is new, too.
    const data = path.join(disk.folder, 'some', 'data');
    const server = await start(data);
    const taken = await collect(server, () => duringPause(server.child, disk.copy));
    await server.stop();
    for (const { copy, answers } of taken) {
      const left = path.join(copy.mount(), 'some', 'data');
      // A machine takes longer to boot than its lock lasts.
      rmSync(path.join(left, '.lock'), { force: true });
      await expectAnswered(left, answers);
    }
    console.log(`${taken.length} power losses: all that was answered is there`);
  },
);

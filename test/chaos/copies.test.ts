/** What is on the disk at each answer: a server that goes on with a copy of it has all that was answered by then. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { type Ready, useBuiltProgram } from '../harness/program.ts';
import { createDice } from '../model/dice.ts';
import { createLedger } from '../rig/ledger.ts';
import { createSender } from '../rig/send.ts';
import { useDisks } from './disks.ts';
import { type Books, createResetter, expectBooks } from './setters.ts';

const program = useBuiltProgram();
const disks = useDisks();
const { copies } = inject('amounts');
const seed = inject('seed');
const noImages = disks.findNone('image');
if (noImages) console.warn(`SKIPPED: a power loss, since ${noImages}.`);
const noProcesses = existsSync('/proc/self/stat') ? undefined : 'the system shows no states of processes';
if (noProcesses) console.warn(`SKIPPED: copies of a folder at each answer, since ${noProcesses}.`);

const start = (data: string): Promise<Ready> => program.startReady(['--log', 'off', '--data', data]);

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

interface Taken<Copy> {
  readonly copy: Copy;
  /** Of each project. */
  readonly answers: ReadonlyMap<string, Books>;
}

/** Lets clients work, and takes a copy at some of their answers; each copy comes with all that was answered by then. */
async function collect<Copy>(server: Ready, takeCopy: () => Copy): Promise<readonly Taken<Copy>[]> {
  const dice = createDice(seed);
  const ledger = createLedger();
  const send = createSender(server.url, ledger);
  const clients = ['A', 'B', 'C'].map((project, n) => ({
    project,
    ...createResetter({ project, name: project, dice: createDice(seed * 10 + n) }),
  }));
  const taken: Taken<Copy>[] = [];
  await Promise.all(
    clients.map(async ({ step }) => {
      for (let answers = 1; taken.length < copies; answers += 1) {
        await step(send);
        // The first answer of each, too, since that is a file that is new.
        if (taken.length === copies || (answers > 1 && !dice.often(10))) continue;
        const answered = new Map(clients.map(({ project, books }) => [project, books()]));
        taken.push({ copy: takeCopy(), answers: answered });
      }
    }),
  );
  expect([ledger.violations, ledger.losses]).toEqual([[], []]);
  return taken;
}

async function expectAnswered(data: string, answers: ReadonlyMap<string, Books>): Promise<void> {
  const server = await start(data);
  for (const [project, books] of answers) await expectBooks(server.url, project, books);
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

/** A process of its own that uses one project as fast as it can while it is told to. */
import { setTimeout as wait } from 'node:timers/promises';
import { createGreedy } from '../rig/greedy.ts';
import { serveBeside } from './beside.ts';

/** So many clients at once. */
const busy = 8;

let isOn = false;
let count = 0;
const greedy = createGreedy(process.argv[2] ?? '', (_request, status) => {
  count += status === 0 ? 0 : 1;
});

async function play(): Promise<void> {
  for (;;) {
    while (!isOn) await wait(10);
    await greedy.playRound(1);
  }
}

for (let n = 0; n < busy; n += 1) void play();
serveBeside((what) => {
  isOn = what === 'begin';
  const sent = count;
  count = 0;
  return sent;
});

/** A process of its own that asks a server for its health every 10 ms, and reports the longest time to an answer. */
import { Client } from 'undici';
import { serveBeside } from '../beside.ts';

const intervalMs = 10;

const client = new Client(process.argv[2] ?? '', { pipelining: 1 });
let maxMs = 0;
let asking: Promise<void> = ask();

/** Asks until there is an answer: a server that was held for 5 s closes connections that seem idle. */
async function ask(): Promise<void> {
  const began = performance.now();
  for (let isAnswered = false; !isAnswered; ) {
    isAnswered = await client.request({ method: 'GET', path: '/_sandbox/health' }).then(
      ({ body }) => body.dump().then(() => true),
      () => false,
    );
  }
  maxMs = Math.max(maxMs, performance.now() - began);
}

await asking;
serveBeside(async (what) => {
  if (what === 'begin') {
    maxMs = 0;
    return 0;
  }
  // An answer that is still awaited belongs to what is measured, and so does the next.
  await asking;
  await ask();
  return maxMs;
});
for (;;) {
  await new Promise((next) => setTimeout(next, intervalMs));
  asking = ask();
  await asking;
}

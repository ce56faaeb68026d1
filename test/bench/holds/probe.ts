/** A process of its own that asks a server for its health every 10 ms, and reports the longest time to an answer. */
import { Client } from 'undici';

const intervalMs = 10;

const client = new Client(process.argv[2] ?? '', { pipelining: 1 });
let maxMs = 0;
let isEnding = false;

process.on('message', (message) => {
  if (message === 'begin') maxMs = 0;
  else isEnding = true;
});

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

await ask();
process.send?.('ready');
for (;;) {
  await new Promise((next) => setTimeout(next, intervalMs));
  // An answer that is still awaited belongs to what is measured.
  const isLast = isEnding;
  await ask();
  if (!isLast) continue;
  isEnding = false;
  process.send?.(maxMs);
}

/** Runs Vitest with one thread, for host.mjs. */
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVitest } from 'vitest/node';

process.on('disconnect', () => process.exit());
const [code] = await once(process, 'message');
const channel = new BroadcastChannel('mutants');
channel.onmessage = ({ data }) => process.send(data);
process.on('message', (message) => channel.postMessage(message));

const options = {
  watch: false,
  include: ['package.json'],
  runner: fileURLToPath(new URL('thread.mjs', import.meta.url)),
  maxWorkers: 1,
  reporters: [{}],
  silent: true,
  update: 'none',
};
const changed = { name: 'changed', enforce: 'pre', load: (id) => code[path.relative(process.cwd(), id)] };
const vitest = await createVitest('test', options, { plugins: [changed] });
await vitest.start();

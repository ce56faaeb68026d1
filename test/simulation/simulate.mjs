/** `npm run simulate`: searches longer for a history that breaks a promise. docs/contributing/testing.md has more. */
import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
if (!(minutes > 0)) refuse(`--minutes: expected a number above 0, got ${values.minutes}`);
if (!Number.isInteger(seed)) refuse(`--seed: expected an integer, got ${values.seed}`);

console.log(`seed ${seed}`);
const vitest = await startVitest('test', ['test/simulation/simulate.test.ts'], {
  watch: false,
  provide: { simulation: { seed, minutes } },
});
await vitest.close();

function refuse(message) {
  console.error(message);
  process.exit(2);
}

/** A process that starts sandboxes by the package's own kit, and says how long the first took and the later ones. */

const began = performance.now();
const { startSandbox } = (await import(
  new URL('../index.mjs', import.meta.url).href
)) as typeof import('../../src/index.ts');

async function startOnce(from: number): Promise<number> {
  const sandbox = await startSandbox();
  const took = performance.now() - from;
  await sandbox.close();
  return took;
}

const firstMs = await startOnce(began);
const laterMs: number[] = [];
for (let round = 0; round < 5; round += 1) laterMs.push(await startOnce(performance.now()));
process.stdout.write(JSON.stringify({ firstMs, laterMs }));

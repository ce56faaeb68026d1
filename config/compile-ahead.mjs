/**
 * The build's last step: starts what was built and asks it a little, so that the first start of whoever built it finds its
 * code compiled.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const location = {
  deviceId: 'van-7',
  eventDateTime: '2026-03-02T09:41:17+10:00',
  geoJson: { type: 'Point', coordinates: [153, -27] },
};
const requests = [
  ['GET', '/_sandbox/health'],
  ['POST', '/projects/warm/locations', location],
  ['POST', '/async/projects/warm/jobs', { jobs: [{ id: 'JOB-1' }, { id: 'FAIL-1' }] }],
  ['GET', '/_sandbox/projects/warm/callbacks'],
];

// biome-ignore lint/style/noProcessEnv: a child needs the PATH
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SANDBOX_')));

/** Runs what was built, asks it, and waits for its end: what was compiled is kept then. */
async function run(words, ask) {
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'], env: environment });
  const exited = once(child, 'exit');
  await ask?.(child);
  const [code, signal] = await exited;
  if (code !== 0 && signal !== 'SIGTERM') throw new Error(`what was built ended with ${code}: node ${words.join(' ')}`);
}

await run(['dist/main.js', '--port', '0', '--json', '--log', 'off'], async (server) => {
  const { value } = await createInterface(server.stdout)[Symbol.asyncIterator]().next();
  const { url } = JSON.parse(value ?? '{}');
  for (const [method, path, body] of requests) {
    const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    await answer.text();
  }
  await run(['dist/main.js', 'health', '--port', new URL(url).port]);
  server.kill();
});
await run(['-e', "import('./dist/index.mjs').then(async ({ startSandbox }) => (await startSandbox()).close())"]);

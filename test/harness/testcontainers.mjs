/** Replaces the package testcontainers: starts the program with the command in `STAND_IN`, not a container. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export const Wait = { forHttp: (path, port) => ({ path, port }) };

export function GenericContainer(image) {
  assert.equal(image, 'field-sandbox');
  const chosen = { variables: {}, port: 0, ready: undefined };
  const self = {
    withEnvironment: (variables) => Object.assign(chosen, { variables }) && self,
    withExposedPorts: (port) => Object.assign(chosen, { port }) && self,
    withWaitStrategy: (ready) => Object.assign(chosen, { ready }) && self,
    start: () => start(chosen),
  };
  return self;
}

async function start({ variables, port, ready }) {
  // biome-ignore lint/style/noProcessEnv: a child needs the PATH
  const env = { ...process.env, ...variables };
  const [command, ...words] = JSON.parse(env.STAND_IN);
  const child = spawn(command, [...words, '--port', '0', '--json'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const { value } = await createInterface(child.stdout)[Symbol.asyncIterator]().next();
  const { port: own } = new URL(JSON.parse(value).url);
  const toOwn = (asked) => {
    assert.equal(asked, port);
    return Number(own);
  };
  const answer = await fetch(`http://127.0.0.1:${toOwn(ready.port)}${ready.path}`);
  assert.equal(answer.status, 200);
  const stop = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null]);
  };
  return { getHost: () => '127.0.0.1', getMappedPort: toOwn, stop };
}

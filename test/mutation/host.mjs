/** A process that runs files of tests with some changes. It starts when there is something to run, and ends when a test hangs. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export function createHost(code) {
  let child;
  function end() {
    child?.kill('SIGKILL');
    child = undefined;
  }
  async function start() {
    const script = fileURLToPath(new URL('process.mjs', import.meta.url));
    child = fork(script, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    child.send(code);
    await answer(600_000);
  }
  function answer(limitMs) {
    return new Promise((resolve) => {
      const finish = (result) => {
        clearTimeout(timer);
        child.removeAllListeners();
        if (result.hasEnded) end();
        resolve(result);
      };
      const timer = setTimeout(() => finish({ hasEnded: true, error: 'does not end' }), limitMs);
      child.once('message', finish);
      child.once('exit', () => finish({ hasEnded: true, error: 'ends the process' }));
    });
  }
  return {
    end,
    async run(file, mutants) {
      if (!child) await start();
      child.send({ file: file.name, mutants: mutants.map(({ id }) => id) });
      return await answer(file.limitMs);
    },
  };
}

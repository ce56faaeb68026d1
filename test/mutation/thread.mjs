/** Vitest's runner of tests, which runs files again and again in one thread: the code is loaded once for all changes. */
import { startTests } from '@vitest/runner';
import { vi } from 'vitest';
import { VitestTestRunner } from 'vitest/runners';

const active = new Set();
const reached = new Set();
globalThis.__mutants__ = {
  active,
  reach(...ids) {
    for (const id of ids) reached.add(id);
  },
};

let stray;
for (const event of ['unhandledRejection', 'uncaughtException']) {
  process.on(event, (error) => {
    stray = error;
  });
}

export default class KeptRunner extends VitestTestRunner {
  /** Vitest has one file to run, package.json, which never ends. */
  importFile(file, source) {
    if (!file.endsWith('package.json')) return super.importFile(file, source);
    const channel = new BroadcastChannel('mutants');
    channel.onmessage = async ({ data }) => channel.postMessage(await this.#run(data));
    channel.postMessage({});
    return new Promise(() => {});
  }

  async #run({ file, mutants }) {
    const { evaluatedModules, config } = this.workerState;
    const isTest = (name) =>
      name?.startsWith(`${config.root}/test/`) && !name.startsWith(`${config.root}/test/harness/`);
    for (const known of evaluatedModules.idToModuleMap.values()) {
      if (isTest(known.file)) evaluatedModules.invalidateModule(known);
    }
    active.clear();
    for (const id of mutants) active.add(id);
    this.cancelRun = false;
    stray = undefined;
    const before = process.cpuUsage();
    const [result] = await startTests([{ filepath: `${config.root}/${file}` }], this);
    const { user, system } = process.cpuUsage(before);
    vi.restoreAllMocks();
    const error = stray ?? findError(result);
    return {
      error: error && String(error.message ?? error).split('\n')[0],
      reached: [...reached],
      cpuMs: (user + system) / 1000,
    };
  }

  /** What is reached while a file is loaded is not counted: modules are loaded before a change is switched on. */
  onBeforeRunFiles() {
    reached.clear();
  }

  onAfterRunTask(test) {
    super.onAfterRunTask(test);
    if (test.result?.state === 'fail') this.cancelRun = true;
  }
}

function findError({ result, tasks = [] }) {
  if (result?.state !== 'fail') return undefined;
  return result.errors?.[0] ?? tasks.map(findError).find((error) => error) ?? new Error('failed');
}

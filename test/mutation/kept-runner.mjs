/**
 * Stryker's runner for Vitest, ten times as fast: one thread is kept from change to change, with all but the tests loaded.
 * It looks into both, so it goes with the versions that are named in mutate.mjs and package.json.
 */
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { isSampled } from './sample.mjs';

/** One failed test is enough, so those that are slow come last. */
const slow = /every-operation|golden|parse|editor-schema|glob|counting|send|disturbance/;
const quickestFirst = [
  '/test/operations/',
  '/test/callbacks/',
  '/test/project/',
  '/test/scenarios/',
  '/test/flows/rules/',
  '/test/flows/',
];

/** Whatever a change has left behind in a module ends with the thread, at the latest after so many. */
const changesPerThread = 100;

function createRunner(injector) {
  const { kept, seed } = injector.resolve('options');
  let inner;
  let threads;
  let tried = 0;
  let changed = '';

  async function tryChange(run) {
    const isLoading = run.reloadEnvironment;
    tried += 1;
    changed = run.activeMutant.fileName;
    // What a module does while it is loaded is seen only where it is loaded again.
    if (isLoading || tried % changesPerThread === 0) await threads.end();
    // Where files of tests are named, Stryker would have such a change begin with the tests: too late.
    const result = await inner.mutantRun(isLoading ? { ...run, mutantActivation: 'static' } : run);
    if (isLoading) await threads.end();
    // Where tests can't even begin, Stryker sees none that fails.
    const broken = inner.ctx.state.getFiles().find((file) => file.result?.state === 'fail');
    if (result.status !== 'survived' || !broken) return result;
    return { status: 'killed', killedBy: [], failureMessage: `${broken.name} does not begin`, nrOfTests: 0 };
  }

  return {
    capabilities: () => inner.capabilities(),
    async init() {
      const { vitestTestRunnerFactory } = await import(pathToFileURL(kept.stryker).href);
      inner = vitestTestRunnerFactory(injector);
      await inner.init();
      threads = await createThreads();
      inner.ctx.config.sequence.sequencer = createSequencer((file) => isOwnTest(file, changed));
      for (const { config } of inner.ctx.projects) Object.assign(config, { pool: 'kept', poolRunner: threads });
    },
    dryRun: (run) => inner.dryRun(run),
    mutantRun: async (run) =>
      isSampled(run.activeMutant.id, seed, kept.share)
        ? tryChange(run)
        : { status: 'error', errorMessage: 'not in the sample' },
    async dispose() {
      await threads?.end();
      await inner?.dispose();
    },
  };
}
createRunner.inject = ['$injector'];

/** A pool of Vitest's whose one thread goes on where Vitest would end it. */
async function createThreads() {
  const vitest = createRequire(path.resolve('package.json')).resolve('vitest/node');
  const { ThreadsPoolWorker } = await import(pathToFileURL(vitest).href);
  let thread;
  return {
    name: 'kept',
    createPoolWorker(options) {
      thread ??= keep(new ThreadsPoolWorker(options));
      return thread.worker;
    },
    async end() {
      const ending = thread;
      thread = undefined;
      await ending?.end();
    },
  };
}

function keep(worker) {
  const start = worker.start.bind(worker);
  const send = worker.send.bind(worker);
  const end = worker.stop.bind(worker);
  let begun;
  const stopped = { type: 'stopped', __vitest_worker_response__: true };
  return {
    end: () => (begun ? end() : undefined),
    worker: Object.assign(worker, {
      name: 'kept',
      start: () => {
        begun ??= start();
        return begun;
      },
      send: (message) => (message?.type === 'stop' ? worker.thread.emit('message', stopped) : send(message)),
      stop: async () => {
        for (const event of ['message', 'error', 'exit']) worker.thread.removeAllListeners(event);
      },
    }),
  };
}

/** Whether a file of tests mirrors the file that is changed: what fails, fails there most of the time. */
function isOwnTest(file, changed) {
  const place = /\/src\/(.*)\.ts$/.exec(changed)?.[1];
  return file.endsWith(`/test/${place}.test.ts`);
}

function createSequencer(isOwn) {
  const place = ({ moduleId }) => {
    if (isOwn(moduleId)) return -1;
    const folder = quickestFirst.findIndex((each) => moduleId.includes(each));
    return folder + (slow.test(moduleId) ? quickestFirst.length : 0);
  };
  // Vitest makes it by `new`.
  return function Sequencer() {
    return {
      shard: (files) => files,
      sort: (files) => [...files].sort((one, other) => place(one) - place(other)),
    };
  };
}

export const strykerPlugins = [{ kind: 'TestRunner', name: 'kept', factory: createRunner }];

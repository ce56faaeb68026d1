/** Before each file of tests: forgets the modules of tests, since the thread has run them for the change before. */
const own = '/test/mutation/';
const { evaluatedModules } = globalThis.__vitest_worker__;
for (const known of evaluatedModules.idToModuleMap.values()) {
  if (known.file?.includes('/test/') && !known.file.includes(own)) evaluatedModules.invalidateModule(known);
}

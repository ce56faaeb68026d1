/**
 * Ends a test run with the plain line `N passed, N failed`, which every CI can read as a count.
 * It knows nothing of what is tested.
 */
import type { Reporter, TestModule } from 'vitest/node';

/** A reporter that prints the line when the process ends, since the coverage table comes after the end of the run. */
export function createClosingLine(): Reporter {
  let line = '';
  return {
    onInit() {
      process.once('exit', () => {
        if (line !== '') console.log(`\n${line}`);
      });
    },
    onTestRunEnd(modules, unhandledErrors) {
      line = toClosingLine(modules, unhandledErrors.length);
    },
  };
}

function toClosingLine(modules: readonly TestModule[], unhandledErrors: number): string {
  // What breaks outside of a test fails the run as well, so it has to count.
  let failed = unhandledErrors;
  let passed = 0;
  let skipped = 0;
  for (const module of modules) {
    failed += [module, ...module.children.allSuites()].filter((suite) => suite.errors().length > 0).length;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') passed += 1;
      else if (state === 'failed') failed += 1;
      else skipped += 1;
    }
  }
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

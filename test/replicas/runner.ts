/** Runs tests, except those that are left out. */
import path from 'node:path';
import { inject, type RunnerTestCase, type RunnerTestFile, type RunnerTestSuite, TestRunner } from 'vitest';
import { findReason } from './left-out.ts';

export default class extends TestRunner {
  onCollected(files: readonly RunnerTestFile[]): void {
    for (const file of files) leaveOut(file, path.relative('test/flows', file.filepath));
  }
}

/** Leaves a whole suite out if all its tests are, so that its hooks do not run. */
function leaveOut(task: RunnerTestSuite | RunnerTestCase, file: string): void {
  if (task.type === 'suite') {
    for (const child of task.tasks) leaveOut(child, file);
    if (task.tasks.length > 0 && task.tasks.every(({ mode }) => mode === 'skip')) task.mode = 'skip';
    return;
  }
  if (inject('flows') === undefined || findReason(file, task.fullTestName) !== undefined) task.mode = 'skip';
}

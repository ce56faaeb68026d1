/** Reports which tests were left out, and why. */
import path from 'node:path';
import type { Reporter, TestCase } from 'vitest/node';
import { findReason } from './left-out.ts';

export function createLeftOutReporter(): Reporter {
  return {
    onTestRunEnd(modules) {
      const byReason = new Map<string, TestCase[]>();
      for (const test of modules.flatMap((module) => [...module.children.allTests()])) {
        const reason = findReason(toFile(test), test.fullName);
        if (reason !== undefined) byReason.set(reason, [...(byReason.get(reason) ?? []), test]);
      }
      for (const [reason, left] of byReason) console.log(`Left out, ${toPlaces(left)}: ${reason}`);
    },
  };
}

const toFile = ({ module }: TestCase): string => path.relative('test/flows', module.moduleId);

function toPlaces(tests: readonly TestCase[]): string {
  const files = new Set(tests.map(toFile));
  return `${tests.length} ${tests.length === 1 ? 'test' : 'tests'} of ${[...files].join(', ')}`;
}

/** Gives all files of a run one seed: the one that was asked for, or another each time; it is printed. */
import type { TestProject } from 'vitest/node';

export default function provideSeed(project: TestProject): void {
  const seed = project.vitest.config.sequence.seed ?? Date.now() % 1_000_000;
  console.log(`seed ${seed}; the same draws again by --sequence.seed=${seed}`);
  project.provide('seed', seed);
}

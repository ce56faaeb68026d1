/** The simulation finds bugs: those that are planted into what surrounds the replicas. */
import { beforeAll, expect, test } from 'vitest';
import type { SandboxFiles } from '../../src/config/sandbox-files.ts';
import { plantedBugs } from './planted-bugs.ts';
import { prepareSimulations } from './prepare.ts';
import { search } from './search.ts';

let files: SandboxFiles;
beforeAll(async () => {
  files = await prepareSimulations();
});

test.each(Object.entries(plantedBugs))(
  'finds that %s',
  async (_name, bug) => {
    const { focus = {}, seed = 1 } = bug;
    const { report } = await search(files, { seed, histories: 200, shrinks: false, focus }, bug);
    expect(report).toContain('VIOLATION');
    // The last bug takes many histories, which a busy machine plays slowly.
  },
  120_000,
);

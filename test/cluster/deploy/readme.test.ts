/** The recipes of the README against deploy/: three replicas behind HAProxy, one of which is killed every few seconds. */
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Block, readBlocks } from '../../docs/page.ts';
import { play } from '../../docs/pages.ts';
import { createShell, type Shell } from '../../docs/shell.ts';
import { postgresIsMissing } from '../harness/postgres-binaries.ts';
import { useOwnPostgres } from '../harness/use-postgres.ts';
import { haproxyIsMissing } from './haproxy.ts';
import { useSharedSetup } from './shared-setup.ts';

/** Time between two kills. */
const killMs = 2500;

/**
 * What curl reports if a replica is killed while it runs the request: an empty, reset or cut response of the replica
 * that has the connection, or the 502 of the one that had forwarded the request.
 */
const brokenConnection = /curl:\s*\((52|56|18)\)|the request may have been applied/;

describe.skipIf(postgresIsMissing || haproxyIsMissing)('the recipes of the README', () => {
  const postgres = useOwnPostgres();
  const setup = useSharedSetup(postgres, {
    variables: {
      DATABASE_PASSWORD: 'of-the-database',
      SANDBOX_ADMIN_TOKEN: 'unused',
      SANDBOX_CALLBACK_SECRET: `whsec_${Buffer.alloc(24).toString('base64')}`,
      SANDBOX_API_KEY: 'sandbox-key',
    },
    // The README has a sandbox without a token, and the default secret.
    changed: { SANDBOX_ADMIN_TOKEN: '', SANDBOX_CALLBACK_SECRET: '' },
  });
  let shell: Shell;
  beforeAll(async () => {
    const program = inject('program');
    shell = await createShell(setup().balancer.url, program.slice(0, program.lastIndexOf('/')));
  });
  afterAll(() => shell?.close());

  test('work unchanged while one replica is killed every few seconds', async () => {
    const blocks = withoutStart(readBlocks('README.md'));
    const kills = killInTurn();
    let rounds = 0;
    const broken: string[] = [];
    try {
      while (rounds < 4 || kills.count() < 4) {
        try {
          await shell.run('curl -o /dev/null -X POST http://127.0.0.1:4600/_sandbox/projects/demo/reset', true);
          await play(blocks, shell);
          rounds += 1;
        } catch (error) {
          if (!brokenConnection.test(String(error))) throw error;
          broken.push(String(error));
        }
      }
    } finally {
      await kills.stop();
    }
    // A request in progress at the killed replica is the only one that may break.
    expect(broken.length).toBeLessThanOrEqual(kills.count());
  });

  /** Kills one replica after the other, and starts it again as the engine does. */
  function killInTurn(): { count(): number; stop(): Promise<void> } {
    let isStopping = false;
    let count = 0;
    const done = (async () => {
      while (!isStopping) {
        await setTimeout(killMs);
        const replica = setup().replicas.all[count % 3];
        await replica?.kill();
        count += 1;
        await replica?.restart();
      }
    })();
    return {
      count: () => count,
      stop: async () => {
        isStopping = true;
        await done;
      },
    };
  }
});

/** Leaves out the command that starts a sandbox, and its output. */
function withoutStart(blocks: readonly Block[]): readonly Block[] {
  const start = blocks.findIndex(({ text }) => text === 'npm ci && npm start\n');
  return blocks.filter((_, index) => index !== start && index !== start + 1);
}

/** Starts the sandbox of a test: one server, or with `npm run test:replicas` three behind a load balancer. */
import { inject, onTestFinished } from 'vitest';
import type { Options } from '../../src/config/option-table.ts';
import { type OptionTexts, parseOptions } from '../../src/config/options.ts';
import type { WallClock } from '../../src/lib/time.ts';
import { type RunningSandbox, startSandbox as startServer } from '../../src/server.ts';

type Notices = Parameters<typeof startServer>[1];

/** Of a test that expects no bug of the sandbox. */
export const noNotices: Notices = {
  reportError: (_id, error) => {
    throw error;
  },
  warn: () => undefined,
};

/** Reads options of a sandbox on a free port, without a log. @throws Error with all mistakes */
export function readOptions(texts: OptionTexts = {}): Options {
  const parsed = parseOptions({ port: '0', log: 'off', ...texts }, {});
  if (parsed.ok) return parsed.options;
  throw new Error(parsed.mistakes.join('\n'));
}

/** Starts one server for the time of a test, also with `npm run test:replicas`. */
export async function startOne(
  texts: OptionTexts = {},
  notices: Partial<Notices> = {},
  wall?: WallClock,
): Promise<RunningSandbox> {
  const sandbox = await startServer(readOptions(texts), { ...noNotices, ...notices }, wall);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

export const startSandbox: typeof startServer = async (...args) => {
  const server = inject('flows');
  if (server === undefined) return startServer(...args);
  const { startReplicated } = await import('../replicas/start-replicated.ts');
  return startReplicated(server, ...args);
};

declare module 'vitest' {
  interface ProvidedContext {
    /** PostgreSQL server for the sandboxes of `npm run test:replicas`. */
    flows: string;
  }
}

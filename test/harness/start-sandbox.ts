/** Starts the sandbox of a test: one server, or with `npm run test:replicas` three behind a load balancer. */
import { inject } from 'vitest';
import { startSandbox as startOne } from '../../src/server.ts';

export const startSandbox: typeof startOne = async (...args) => {
  const server = inject('flows');
  if (server === undefined) return startOne(...args);
  const { startReplicated } = await import('../replicas/start-replicated.ts');
  return startReplicated(server, ...args);
};

declare module 'vitest' {
  interface ProvidedContext {
    /** PostgreSQL server for the sandboxes of `npm run test:replicas`. */
    flows: string;
  }
}

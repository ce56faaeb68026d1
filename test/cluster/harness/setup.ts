/** Once for all tests of replicas: builds the program, and starts one PostgreSQL that the test files share. */
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { builtProgram } from '../../harness/build.ts';
import { haproxyIsMissing } from '../deploy/haproxy.ts';
import { startPostgres } from './postgres.ts';
import { postgresIsMissing } from './postgres-binaries.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Main file of the built program. */
    program: string;
    /** The shared server; undefined where PostgreSQL is not installed. */
    postgres: { readonly url: string; readonly template: string } | undefined;
  }
}

export default async function setUp({ provide }: TestProject): Promise<(() => Promise<void>) | undefined> {
  provide('program', path.join(await builtProgram(), 'main.js'));
  if (haproxyIsMissing)
    console.warn('SKIPPED: deploy/haproxy.cfg, since HAProxy is not installed (Debian: apt-get install haproxy).');
  if (postgresIsMissing) {
    console.warn(
      'SKIPPED: replicas on PostgreSQL, since PostgreSQL is not installed (Debian: apt-get install postgresql).',
    );
    provide('postgres', undefined);
    return undefined;
  }
  const { url, template, stop } = await startPostgres();
  provide('postgres', { url, template });
  return stop;
}

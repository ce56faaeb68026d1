/** Fetches the coverage report of a running sandbox. */

import { z } from 'zod';
import { toProjectPath } from '../../client/client.ts';
import type { CoverageReport } from '../../coverage/report.ts';
import { type Connection, findProjectMistake } from '../connect.ts';

/** The part of the report to fetch. */
interface CoverageScope {
  /** Project to report on; undefined for all projects. */
  readonly project: string | undefined;
  /** Comma-separated operationIds with globs, as in the control API; undefined for all operations. */
  readonly operation: string | undefined;
}

const share = { met: z.number(), total: z.number(), percent: z.number() };
const failure = {
  kind: z.string(),
  about: z.string(),
  met: z.boolean(),
  count: z.number(),
  first: z.object({ project: z.string().nullable(), request: z.string() }).nullable(),
  provoke: z.string(),
};
const reportSchema: z.ZodType<CoverageReport> = z.object({
  ...share,
  operations: z.object(share),
  failures: z.object(share),
  callbacks: z.object(share),
  items: z.array(
    z.object({
      operation: z.string(),
      method: z.string(),
      path: z.string(),
      mode: z.enum(['sync', 'async']),
      calls: z.number(),
      succeeded: z.number(),
      met: z.boolean(),
      failures: z.array(z.object(failure)),
    }),
  ),
  callbackItems: z.array(
    z.object({ type: z.string(), conditions: z.array(z.object({ ...failure, taken: z.number() })) }),
  ),
});

/** Returns the report, or an error message. */
export async function fetchCoverage(
  connection: Connection,
  { project, operation }: CoverageScope,
): Promise<CoverageReport | string> {
  const { client, url, explain } = connection;
  const scope = project === undefined ? '' : toProjectPath(project);
  const query = operation === undefined ? '' : `?operation=${encodeURIComponent(operation)}`;
  const answer = await client.ask<unknown>('GET', `${scope}/coverage${query}`);
  // An older sandbox has no such path.
  if (!answer.ok && (answer.reason !== 'refused' || answer.status !== 404)) return explain(answer).join('\n');
  const report = reportSchema.safeParse(answer.ok ? answer.body : undefined);
  if (!report.success) return `no coverage report at ${url}: is it a field-sandbox?`;
  if (project === undefined || report.data.met > 0) return report.data;
  return (await findProjectMistake(connection, project)) ?? report.data;
}

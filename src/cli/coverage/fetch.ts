/** Fetches the coverage report of a running sandbox. */
import { z } from 'zod';
import type { CoverageReport } from '../../coverage/report.ts';
import { withoutControls } from '../../diagnostics/line-excerpt.ts';
import { didYouMean } from '../../lib/nearest.ts';
import { createWallClock } from '../../lib/time.ts';
import { type Control, type ControlAddress, createControl, toBaseUrl } from '../listen/control.ts';

/** The sandbox and the part of its report to fetch. */
export interface CoverageRequest extends ControlAddress {
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

const projectsSchema = z.object({ items: z.array(z.object({ id: z.string() })) });

/** Maximum number of projects that a message lists. */
const maxListed = 10;

/** Returns the report, or an error message. */
export async function fetchCoverage(request: CoverageRequest): Promise<CoverageReport | string> {
  const { project, operation } = request;
  const url = toBaseUrl(request.url);
  const control = createControl({ ...request, url }, createWallClock(), new AbortController().signal);
  const scope = project === undefined ? '' : pathOf(project);
  const query = operation === undefined ? '' : `?operation=${encodeURIComponent(operation)}`;
  const result = await control.get(`${scope}/coverage${query}`);
  if (result.kind === 'failed')
    return `no sandbox at ${url}: ${withoutControls(result.reason)}; start one, or set its URL with --url or SANDBOX_URL`;
  if (result.kind === 'refused') return `${url}: ${withoutControls(result.reason)}`;
  const report = reportSchema.safeParse(result.kind === 'answered' ? result.body : undefined);
  if (!report.success) return `no coverage report at ${url}: is it a field-sandbox?`;
  if (project === undefined || report.data.met > 0) return report.data;
  return (await findProjectMistake(control, url, project)) ?? report.data;
}

function pathOf(project: string): string {
  return `/projects/${encodeURIComponent(project)}`;
}

/** Returns a message if the sandbox has no such project. Its coverage is 0 %, as that of any project without requests. */
async function findProjectMistake(control: Control, url: string, project: string): Promise<string | undefined> {
  // Loads a project that is only in the folder of --data, so that the list contains it.
  await control.get(pathOf(project));
  // A server holds at most 1,000 projects.
  const list = await control.get('/projects?limit=1000');
  const projects = projectsSchema.safeParse(list.kind === 'answered' ? list.body : undefined);
  const ids = projects.success ? projects.data.items.map(({ id }) => id) : [project];
  if (ids.includes(project)) return undefined;
  const more = ids.length > maxListed ? `, and ${ids.length - maxListed} more` : '';
  const available =
    ids.length === 0 ? 'it has no projects yet' : `available: ${ids.slice(0, maxListed).join(', ')}${more}`;
  const mistake = `the sandbox at ${url} has no project ${JSON.stringify(project)}${didYouMean(project, ids)}`;
  return withoutControls(`--project: ${mistake}; ${available}`);
}

/** Fetches the coverage report of a running sandbox. */
import { z } from 'zod';
import { toCredentials } from '../../config/keys.ts';
import type { CoverageReport } from '../../coverage/report.ts';
import { withoutControls } from '../../diagnostics/line-excerpt.ts';
import { didYouMean } from '../../lib/nearest.ts';

/** Timeout of the request, in milliseconds. */
const timeoutMs = 10_000;

/** The sandbox and the part of its report to fetch. */
export interface CoverageRequest {
  /** The sandbox's base address. */
  readonly url: string;
  /** Project to report on; undefined for all projects. */
  readonly project: string | undefined;
  /** Comma-separated operationIds with globs, as in the control API; undefined for all operations. */
  readonly operation: string | undefined;
  readonly adminToken: string | undefined;
  /** API key of the client's projects, sent in place of the admin token. */
  readonly apiKey: string | undefined;
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
  const { url, project, operation } = request;
  const scope = project === undefined ? '' : pathOf(project);
  const query = operation === undefined ? '' : `?operation=${encodeURIComponent(operation)}`;
  try {
    const report = await readResponse(await fetchControl(request, `${scope}/coverage${query}`), url);
    if (typeof report === 'string' || project === undefined || report.met > 0) return report;
    return (await findProjectMistake(request, project)) ?? report;
  } catch (error) {
    return `no sandbox at ${url}: ${toReason(error as Error)}; start one, or set its URL with --url or SANDBOX_URL`;
  }
}

function pathOf(project: string): string {
  return `/projects/${encodeURIComponent(project)}`;
}

function fetchControl({ url, adminToken, apiKey }: CoverageRequest, path: string): Promise<Response> {
  return fetch(`${url.replace(/\/+$/, '')}/_sandbox${path}`, {
    headers: toCredentials(adminToken, apiKey),
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  });
}

/** Returns a message if the sandbox has no such project. Its coverage is 0 %, as that of any project without requests. */
async function findProjectMistake(request: CoverageRequest, project: string): Promise<string | undefined> {
  // Loads a project that is only in the folder of --data, so that the list contains it.
  await fetchControl(request, pathOf(project)).then((response) => response.body?.cancel());
  // A server holds at most 1,000 projects.
  const list = await fetchControl(request, '/projects?limit=1000');
  const projects = projectsSchema.safeParse(await list.json().catch(() => undefined));
  const ids = projects.success ? projects.data.items.map(({ id }) => id) : [project];
  if (ids.includes(project)) return undefined;
  const more = ids.length > maxListed ? `, and ${ids.length - maxListed} more` : '';
  const available =
    ids.length === 0 ? 'it has no projects yet' : `available: ${ids.slice(0, maxListed).join(', ')}${more}`;
  const mistake = `the sandbox at ${request.url} has no project ${JSON.stringify(project)}${didYouMean(project, ids)}`;
  return withoutControls(`--project: ${mistake}; ${available}`);
}

async function readResponse(response: Response, url: string): Promise<CoverageReport | string> {
  if (response.status === 401)
    return `the sandbox at ${url} requires its admin token; set --admin-token or SANDBOX_ADMIN_TOKEN, or the key of your projects as --api-key or SANDBOX_API_KEY`;
  const body: unknown = await response.json().catch(() => undefined);
  if (response.status === 400 || response.status === 403) {
    const rejection = z.object({ message: z.string() }).safeParse(body);
    if (rejection.success) return withoutControls(rejection.data.message);
  }
  const report = response.status === 200 ? reportSchema.safeParse(body) : undefined;
  return report?.success
    ? report.data
    : `no coverage report at ${url} (status ${response.status}): is it a field-sandbox?`;
}

function toReason(error: Error): string {
  if (error.name === 'TimeoutError') return `no response within ${timeoutMs / 1000} s`;
  const { code, message = error.message } = (error.cause ?? {}) as { code?: string; message?: string };
  return code === 'ECONNREFUSED' ? 'connection refused' : (code ?? message);
}

/** Fetches the coverage report of a running sandbox. */
import { z } from 'zod';
import type { CoverageReport } from '../../coverage/report.ts';
import { withoutControls } from '../../diagnostics/line-excerpt.ts';

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
export async function fetchCoverage(request: CoverageRequest): Promise<CoverageReport | string> {
  const { url, project, operation, adminToken } = request;
  const scope = project === undefined ? '' : `/projects/${encodeURIComponent(project)}`;
  const query = operation === undefined ? '' : `?operation=${encodeURIComponent(operation)}`;
  try {
    const response = await fetch(`${url.replace(/\/+$/, '')}/_sandbox${scope}/coverage${query}`, {
      headers: { ...(adminToken !== undefined && { authorization: `Bearer ${adminToken}` }) },
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    return await readResponse(response, url);
  } catch (error) {
    return `no sandbox at ${url}: ${toReason(error as Error)}; start one, or set its URL with --url or SANDBOX_URL`;
  }
}

async function readResponse(response: Response, url: string): Promise<CoverageReport | string> {
  if (response.status === 401)
    return `the sandbox at ${url} requires its admin token; set --admin-token or SANDBOX_ADMIN_TOKEN`;
  const body: unknown = await response.json().catch(() => undefined);
  if (response.status === 400) {
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

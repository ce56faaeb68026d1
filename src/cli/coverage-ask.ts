/** Asks a sandbox that runs somewhere for its coverage report. */
import { z } from 'zod';
import type { CoverageReport } from '../coverage/report.ts';
import { printable } from './log.ts';

/** How long an answer may take. */
const patienceMs = 10_000;

/** What is asked of which sandbox. */
export interface CoverageQuestion {
  /** The sandbox's base address. */
  readonly url: string;
  /** One project in place of all. */
  readonly project: string | undefined;
  /** operationIds, as the control API takes them. */
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

/** The report, or why there is none, in words. */
export async function askCoverage(question: CoverageQuestion): Promise<CoverageReport | string> {
  const { url, project, operation, adminToken } = question;
  const place = project === undefined ? '' : `/projects/${encodeURIComponent(project)}`;
  const query = operation === undefined ? '' : `?operation=${encodeURIComponent(operation)}`;
  try {
    const answer = await fetch(`${url.replace(/\/+$/, '')}/_sandbox${place}/coverage${query}`, {
      headers: { ...(adminToken !== undefined && { authorization: `Bearer ${adminToken}` }) },
      redirect: 'manual',
      signal: AbortSignal.timeout(patienceMs),
    });
    return await readAnswer(answer, url);
  } catch (error) {
    return `no sandbox at ${url}: ${toReason(error as Error)}; start one, or say where it is by --url or SANDBOX_URL`;
  }
}

async function readAnswer(answer: Response, url: string): Promise<CoverageReport | string> {
  if (answer.status === 401) return `the sandbox at ${url} asks for its token: --admin-token or SANDBOX_ADMIN_TOKEN`;
  const body: unknown = await answer.json().catch(() => undefined);
  if (answer.status === 400) {
    const refusal = z.object({ message: z.string() }).safeParse(body);
    if (refusal.success) return printable(refusal.data.message);
  }
  const report = answer.status === 200 ? reportSchema.safeParse(body) : undefined;
  return report?.success ? report.data : `no sandbox that tells of coverage at ${url}: it answers ${answer.status}`;
}

function toReason(error: Error): string {
  if (error.name === 'TimeoutError') return `no answer within ${patienceMs / 1000} s`;
  const { code, message = error.message } = (error.cause ?? {}) as { code?: string; message?: string };
  return code === 'ECONNREFUSED' ? 'connection refused' : (code ?? message);
}

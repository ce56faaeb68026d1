/** The same load by wrk, a load generator in C: to see whether ours stands in the way of what it measures. */
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { headers, type LoadOptions, type Payload, type Result } from './load.ts';

const execute = promisify(execFile);
const seconds = 3;

/** What its script prints at the end. */
interface Summary {
  readonly requests: number;
  readonly seconds: number;
  readonly errors: number;
  readonly p99Ms: number;
}

/** Whether it is installed. */
export async function hasWrk(): Promise<boolean> {
  try {
    await execute('wrk', ['--version']);
    return true;
  } catch (error) {
    // It ends with 1 when asked for its version.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

/** Sends a payload of single records for three seconds; of their times only the p99 is known. @throws where one is not answered with success */
export async function loadByWrk(url: string, payload: Payload, { from }: LoadOptions): Promise<Result> {
  const file = path.join(tmpdir(), `field-sandbox-bench-${process.pid}.lua`);
  await writeFile(file, toScript(payload, from));
  try {
    const words = ['-t1', `-c${payload.connections}`, `-d${seconds}s`, '-s', file, `${url}${payload.path(from)}`];
    const { stdout } = await execute('wrk', words);
    const summary = JSON.parse(stdout.slice(stdout.lastIndexOf('{'))) as Summary;
    if (summary.errors > 0) throw new Error(`wrk: ${summary.errors} of ${summary.requests} requests failed`);
    return { perSecond: summary.requests / summary.seconds, times: [summary.p99Ms] };
  } finally {
    await rm(file);
  }
}

/** The body's id counts up, where it has one. */
function toScript({ body }: Payload, from: number): string {
  const [before = '', after] = String(body(0)).split('"JOB-0"');
  const numbered = `[==[${before}]==] .. '"JOB-' .. n .. '"' .. [==[${after}]==]`;
  return `
wrk.method = "POST"
${Object.entries(headers)
  .map(([name, value]) => `wrk.headers["${name}"] = "${value}"`)
  .join('\n')}
local n = ${from}
request = function()
  n = n + 1
  return wrk.format(nil, nil, nil, ${after === undefined ? `[==[${before}]==]` : numbered})
end
done = function(summary, latency)
  local e = summary.errors
  io.write(string.format('{"requests":%d,"seconds":%f,"errors":%d,"p99Ms":%f}', summary.requests, summary.duration / 1e6,
    e.connect + e.read + e.write + e.status + e.timeout, latency:percentile(99) / 1e3))
end
`;
}

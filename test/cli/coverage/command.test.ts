/** `field-sandbox coverage`: its request, its output, and its exit code. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type CoverageInput, runCoverage } from '../../../src/cli/coverage/command.ts';
import { printTo } from '../../../src/cli/frame/io.ts';
import { printMistakes } from '../../../src/cli/output/text.ts';
import { ConfigError } from '../../../src/config/config-error.ts';
import { createIo } from '../../harness/cli.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox();
const folder = mkdtempSync(path.join(tmpdir(), 'coverage-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function run(input: CoverageInput, env: Record<string, string> = {}, columns = 120) {
  const io = createIo(env);
  Object.assign(io.stdout, { columns });
  const code = await runCoverage(input, io).catch((error: unknown) => {
    if (!(error instanceof ConfigError)) throw error;
    return printMistakes(error.mistakes, printTo(io.stderr));
  });
  return { code, ...io.written };
}

/** Creates a project with one of two operations called, and one of its failures covered. */
async function usedProject(): Promise<CoverageInput> {
  const project = freshProject();
  const answer = await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ status: 'NO' }] });
  expect(answer.status).toBe(202);
  return { url: sandbox.url(), project, operation: 'asyncImportJobs,submitLocation' };
}

test('lines are cut at the width of the terminal', async () => {
  const { out } = await run(await usedProject(), {}, 60);
  const lengths = out
    .trimEnd()
    .split('\n')
    .map((line) => line.length);
  expect(Math.max(...lengths)).toBe(60);
});

describe('without a report', () => {
  async function withServer(answer: string, status: number, use: (url: string) => Promise<void>): Promise<void> {
    const server: Server = createServer((_request, response) => response.writeHead(status).end(answer));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', () => listening()));
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }

  test.each([
    ['another server', 'hello', 200, 'URL: its response is not JSON: is it a field-sandbox?'],
    ['a similar server', '{"percent":1,"items":[]}', 200, 'no coverage report at URL: is it a field-sandbox?'],
    ['a sandbox without this path', '{"message":"no such path"}', 404, 'URL: no such path'],
    ['a server without this path', 'none', 404, 'URL: it responded with 404: is it a field-sandbox?'],
    ['a server that redirects', '', 302, 'URL: it responded with 302: is it a field-sandbox?'],
    ['a failing server', '', 500, 'no sandbox at URL: it responded with 500'],
  ])('%s responds', async (_, answer, status, message) => {
    await withServer(answer, status, async (url) => {
      const err = expect.stringContaining(message.replace('URL', url));
      expect(await run({ url })).toEqual({ code: 2, out: '', err });
    });
  });
});

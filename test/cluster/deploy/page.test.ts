/**
 * The commands of docs/operating/shared.md in one shell, as a reader runs them. There is no container engine: `docker` is a
 * function that runs commands in the database's container here, and asks this test for everything else.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import type { Variables } from '../../deploy/compose-file.ts';
import { differingOutput } from '../../docs/output.ts';
import { type Block, readBlocks } from '../../docs/page.ts';
import { environment } from '../../harness/program.ts';
import { query } from '../harness/databases.ts';
import { findFreePort } from '../harness/free-port.ts';
import { postgresFolder, postgresIsMissing } from '../harness/postgres-binaries.ts';
import { startProcess } from '../harness/replica-process.ts';
import { useOwnPostgres } from '../harness/use-postgres.ts';
import { haproxyIsMissing } from './haproxy.ts';
import { type SharedSetup, startSharedSetup } from './shared-setup.ts';

const blocks = readBlocks('docs/operating/shared.md').filter(
  ({ testedBy }) => testedBy === 'test/cluster/deploy/page.test.ts',
);
const isWithoutContainers = ({ text }: Block): boolean => text.includes('npx field-sandbox');
const commands = blocks.filter((block) => block.language === 'sh' && !isWithoutContainers(block));

/** Separates the outputs of the commands. */
const separator = '=== next block';

const functions = `set -e
curl() { command curl -sS --fail-with-body "$@"; }
docker() {
  if [ "$1 $2 $3 $4" = 'compose exec -T database' ]; then shift 4; "$@"
  else curl --data-binary "$*" "$ENGINE"; fi
}
`;

describe.skipIf(postgresIsMissing || haproxyIsMissing)('docs/operating/shared.md', () => {
  const postgres = useOwnPostgres();

  function makeFolder(): string {
    const folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-deploy-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    mkdirSync(path.join(folder, 'deploy'));
    return folder;
  }

  /** Does what an engine does for each command on the page. Unknown commands fail. */
  async function startEngine(folder: string, port: number): Promise<string> {
    let setup: SharedSetup | undefined;
    const start = async (): Promise<void> => {
      const variables = readVariables(path.join(folder, 'deploy/.env'));
      setup = await startSharedSetup({ variables, postgres: postgres(), program: inject('program'), port });
      onTestFinished(setup.stop);
    };
    const each = async (names: string, work: 'terminate' | 'restart'): Promise<void> => {
      for (const name of names.split(' ')) await setup?.replica(name)?.[work]();
    };
    const known: readonly (readonly [command: RegExp, work: (names: string) => Promise<void>])[] = [
      [/^compose up --build --detach --wait$/, start],
      [/^compose build$/, () => Promise.resolve()],
      [/^compose stop (.*)$/, (names) => each(names, 'terminate')],
      [/^compose start (.*)$/, (names) => each(names, 'restart')],
      [/^compose up --no-deps --detach --wait (\S+)$/, (names) => each(names, 'restart')],
    ];
    const server = createServer((request, response) => {
      void (async () => {
        const command = String(Buffer.concat(await request.toArray()));
        const found = known.find(([pattern]) => pattern.test(command));
        await found?.[1](found[0].exec(command)?.[1] ?? '');
        response.writeHead(found ? 204 : 400).end();
      })();
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    return `http://127.0.0.1:${toPort(server)}`;
  }

  test('its commands work as written, with the output shown', async () => {
    const folder = makeFolder();
    const port = await findFreePort();
    const { hostname, port: databasePort } = new URL(postgres().url);
    const env = environment({
      ENGINE: await startEngine(folder, port),
      PATH: `${postgresFolder}:${environment({})['PATH']}`,
      PGHOST: hostname,
      PGPORT: databasePort,
    });
    const script = [functions, ...commands.map(({ text }) => text)].join(`\necho '${separator}'\n`);
    const jobs = 'curl -H "apikey: $key" http://127.0.0.1:4600/_sandbox/projects/acme-orders/jobs | grep -o \'"J-1"\'';
    const text = `${script}\necho '${separator}'\n${jobs}\n`.replaceAll('127.0.0.1:4600', `127.0.0.1:${port}`);
    const { stdout } = await promisify(execFile)('bash', ['-c', text], { cwd: folder, env });
    const [, ...outputs] = stdout.split(`${separator}\n`);
    for (const [n, block] of commands.entries()) {
      const shown = blocks[blocks.indexOf(block) + 1];
      if (shown?.language !== 'json') continue;
      expect(differingOutput(shown.text, outputs[n] ?? '', 'json'), shown.at).toBe(undefined);
    }
    // The job was created before the backup.
    expect(outputs.at(-1)).toBe('"J-1"\n');
  });

  test('without containers, its command joins, and another seed is rejected', async () => {
    const sql = blocks.find(({ language }) => language === 'sql')?.text ?? '';
    for (const statement of sql.replaceAll('sandbox', 'second').trim().split('\n'))
      await query(postgres().url, statement);
    const [line = '', command = ''] = blocks.find(isWithoutContainers)?.text.split('\n') ?? [];
    const [, given = ''] = /^export SANDBOX_POSTGRES=(.*)$/.exec(line) ?? [];
    const url = given
      .replace('database.example.com:5432', new URL(postgres().url).host)
      .replaceAll('sandbox', 'second');
    const [, args = ''] = /^npx field-sandbox (.*)$/.exec(command.replace('10.0.0.11', '127.0.0.1')) ?? [];
    const start = (...more: readonly string[]) => {
      const process = startProcess(
        inject('program'),
        [...args.split(' '), '--port', '0', '--cluster-port', '0', '--json', ...more],
        { SANDBOX_POSTGRES: url },
      );
      onTestFinished(() => process.signal('SIGKILL'));
      return process;
    };
    await start().ready;
    const other = start('--seed', 'another');
    await expect(other.ready).rejects.toThrow();
    const shown = blocks.find(({ language }) => language === 'text');
    expect(await other.ended).toMatchObject({ code: 2, err: shown?.text });
  });
});

function readVariables(file: string): Variables {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)));
}

function toPort(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Other mock servers, to be measured beside the sandbox: installed in a folder of their own, on the document that it serves. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { readDocument } from './control.ts';
import type { Progress } from './progress.ts';
import type { Launch, Servers } from './servers.ts';

const execute = promisify(execFile);

/** Another mock server that can be started. */
export interface Peer {
  readonly name: string;
  /** How it is started, on a port that is free now. */
  launch(): Promise<Launch>;
}

/** What is installed, and how it is started with a document. */
interface Kind {
  readonly name: string;
  readonly dependency: string;
  readonly file: string;
  words(document: string, port: number): readonly string[];
  readonly ready: RegExp;
}

const kinds: readonly Kind[] = [
  {
    name: 'Prism 5.14.2',
    dependency: '@stoplight/prism-cli@5.14.2',
    file: 'node_modules/@stoplight/prism-cli/dist/index.js',
    words: (document, port) => ['mock', '--host', '127.0.0.1', '--port', String(port), document],
    ready: /Prism is listening on/,
  },
  {
    name: 'Mockoon 9.9.0',
    dependency: '@mockoon/cli@9.9.0',
    file: 'node_modules/@mockoon/cli/bin/run.js',
    words: (document, port) => [
      'start',
      '--data',
      document,
      '--hostname',
      '127.0.0.1',
      '--port',
      String(port),
      '--disable-log-to-file',
      '--disable-admin-api',
    ],
    ready: /Server started on port/,
  },
];

/** Installs them into a folder. Those that can't be had are told of loudly, and left out. */
export async function installPeers(
  folder: string,
  servers: Servers,
  { say, warn }: Progress,
): Promise<readonly Peer[]> {
  const document = path.join(folder, 'openapi.json');
  const sandbox = await servers.sandbox();
  await writeFile(document, await readDocument(sandbox.url));
  await sandbox.stop();
  await writeFile(path.join(folder, 'package.json'), '{"private":true}');
  const installed: Peer[] = [];
  for (const kind of kinds) {
    say(`npm installs ${kind.dependency} into ${folder}`);
    const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', kind.dependency];
    try {
      await execute('npm', words, { cwd: folder, timeout: 300_000, shell: process.platform === 'win32' });
      const peer = toPeer(kind, path.join(folder, kind.file), document);
      await (await servers.start(await peer.launch())).stop();
      installed.push(peer);
    } catch (error) {
      warn(`${kind.name.toUpperCase()} CAN'T BE HAD, AND IS NOT MEASURED: ${(error as Error).message.trim()}`);
    }
  }
  return installed;
}

function toPeer({ name, words, ready }: Kind, file: string, document: string): Peer {
  const launch = async (): Promise<Launch> => {
    const port = await freePort();
    return { name, words: [file, ...words(document, port)], ready, url: `http://127.0.0.1:${port}` };
  };
  return { name, launch };
}

/** They take no port 0. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** A folder in which the commands of a page run: with the package installed, and with an own sandbox. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findFreePort } from '../cluster/harness/free-port.ts';
import { environment } from '../harness/program.ts';

export interface Shell {
  write(file: string, text: string): void;
  /** Runs commands until they end, and returns their output. `strict`: a command that fails, or a 4xx, is an error; else errors are part of the output. */
  run(commands: string, strict: boolean): Promise<string>;
  /** Starts a sandbox that keeps running, and returns its first output. Later commands use it. */
  start(command: string): Promise<string>;
  /** Ends the sandboxes that it started, and deletes the folder. */
  close(): Promise<void>;
}

const publishedPort = '4600';
/** Port of the callback receivers that pages start. */
const receiverPort = '9000';
const publishedTlsPort = '4643';

/** A line that starts a sandbox in the background. */
const startsInBackground = /(?:field-sandbox|npm start)(?! listen)[^\n]*[^&]&\s*$/m;

/** Creates a shell whose package is that of `build`. */
export async function createShell(sandboxUrl: string, build: string): Promise<Shell> {
  const folder = mkdtempSync(path.resolve('node_modules/.field-sandbox-docs-'));
  const bin = path.join(folder, 'node_modules/.bin');
  const program = path.join(build, 'main.js');
  mkdirSync(bin, { recursive: true });
  symlinkSync(path.resolve('.'), path.join(folder, 'node_modules/field-sandbox'));
  writeFileSync(path.join(bin, 'field-sandbox'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module", "scripts": { "test": "node --test" } }\n');
  // npm's own npx takes a second, and asks the registry for what it does not find.
  writeFileSync(path.join(bin, 'npx'), `#!/bin/sh\nname=$1; shift; exec "$name" "$@"\n`);
  for (const name of ['field-sandbox', 'npx']) chmodSync(path.join(bin, name), 0o755);

  const ports = new Map([
    [publishedPort, new URL(sandboxUrl).port],
    [receiverPort, String(await findFreePort())],
  ]);
  const children: ChildProcess[] = [];
  const toHere = (text: string): string =>
    [...ports].reduce((changed, [port, here]) => changed.replaceAll(`:${port}`, `:${here}`), text);
  const toPage = (text: string): string =>
    [...ports].reduce((changed, [port, here]) => changed.replaceAll(`:${here}`, `:${port}`), text);
  const options = () => ({
    cwd: folder,
    env: {
      ...environment({
        PATH: [bin, path.resolve('node_modules/.bin'), environment({})['PATH']].join(':'),
        SANDBOX_URL: `http://127.0.0.1:${ports.get(publishedPort)}`,
        SANDBOX_PORT: ports.get(publishedPort) ?? '',
      }),
      // Vitest sets it, and a reader's pipe has no colours.
      FORCE_COLOR: undefined,
    },
    timeout: 60_000,
    maxBuffer: 2 ** 24,
  });

  return {
    write: (file, text) => {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), toHere(text));
    },
    run: async (commands, strict) => {
      // A sandbox that the commands start themselves, in the background, gets a port of its own.
      if (startsInBackground.test(commands)) ports.set(publishedPort, String(await findFreePort()));
      const curl = `curl() { command curl -sS ${strict ? '--fail-with-body' : ''} "$@"; }\n`;
      const script = `${strict ? 'set -e' : 'exec 2>&1'}\n${curl}${toHere(commands)}`;
      return toPage(await output(script, strict, options()));
    },
    start: async (command) => {
      const port = /--port (\d+)/.exec(command)?.[1] ?? publishedPort;
      const [name = '', ...args] = toHere(command).trim().split(/\s+/);
      const child = spawn(
        path.join(bin, name === 'npx' ? 'npx' : name),
        [...withoutPort(args), '--port', '0'],
        options(),
      );
      children.push(child);
      let out = '';
      await new Promise<void>((ready, failed) => {
        child.stdout.on('data', (chunk: Buffer) => {
          out += chunk;
          if (/127\.0\.0\.1:\d+/.test(out)) ready();
        });
        child.stderr.on('data', (chunk: Buffer) => {
          out += chunk;
        });
        child.once('exit', () => failed(new Error(out)));
      });
      ports.set(port, /127\.0\.0\.1:(\d+)/.exec(out)?.[1] ?? '');
      const tlsPort = /https:\/\/127\.0\.0\.1:(\d+)/.exec(out)?.[1];
      if (tlsPort !== undefined) ports.set(publishedTlsPort, tlsPort);
      return toPage(out);
    },
    close: async () => {
      // A sandbox that still saves its data would write into a folder that is being deleted.
      await Promise.all(children.map(stopped));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill();
  await exited;
}

/** Without `--port N`, which a test must not use. */
const withoutPort = (args: readonly string[]): readonly string[] =>
  args.filter((arg, n) => arg !== '--port' && args[n - 1] !== '--port');

function output(script: string, strict: boolean, options: object): Promise<string> {
  return new Promise((ended, failed) => {
    execFile('bash', ['-c', script], options, (error, stdout, stderr) => {
      const text = String(stdout);
      if (error !== null && strict) failed(new Error(`${error.message}\n${text}\n${String(stderr)}`));
      else ended(text);
    });
  });
}

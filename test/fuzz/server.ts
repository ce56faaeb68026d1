/** The built program in a process of its own, with options that are drawn. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Dice } from '../model/dice.ts';

export interface FuzzedServer {
  readonly url: string;
  readonly args: readonly string[];
  /** Why it has ended by itself; undefined while it runs. */
  ended(): string | undefined;
  /** Tells it to end; what was wrong with how it ended, or with what it wrote. */
  stop(): Promise<string | undefined>;
}

/** What a server writes about a mistake of its own. */
const mistakes = /^(bug |field-sandbox: this error|\s+at |\S*Error: |FATAL|Trace)/m;

/** How long it may take to start, or to end. */
const maxMs = 30_000;

/** @throws where it does not start */
export async function startServer(program: string, dice: Dice, callbackUrl: string): Promise<FuzzedServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-fuzz-'));
  const args = drawOptions(dice, folder, callbackUrl);
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: withoutOptions(),
  });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  let complaints = '';
  child.stderr.on('data', (chunk) => {
    complaints = (complaints + String(chunk)).slice(-20_000);
  });
  let how: string | undefined;
  const exited = once(child, 'exit').then(([code, signal]) => {
    how = `the program ended with ${code ?? signal}; it wrote:\n${complaints}`;
    process.off('exit', kill);
    rmSync(folder, { recursive: true, force: true });
  });
  const url = await Promise.race([readUrl(child.stdout), exited.then(() => '')]);
  if (url === '') throw new Error(`${args.join(' ')}: ${how}`);
  return {
    url,
    args,
    ended: () => how,
    stop: async () => {
      if (how !== undefined) return how;
      child.kill('SIGTERM');
      const timer = setTimeout(kill, maxMs);
      await exited;
      clearTimeout(timer);
      if (child.exitCode !== 0) return how;
      return mistakes.test(complaints) ? `it wrote of a mistake of its own:\n${complaints}` : undefined;
    },
  };
}

function drawOptions(dice: Dice, folder: string, callbackUrl: string): string[] {
  return [
    ...['--host', '127.0.0.1', '--port', '0', '--json', '--log', dice.of(['pretty', 'pretty', 'json', 'off'])],
    ...(dice.often(30) ? ['--data', folder] : []),
    ...(dice.often(30) ? ['--clock', 'frozen'] : []),
    ...(dice.often(20) ? ['--strict'] : []),
    ...(dice.often(20) ? ['--no-magic-ids'] : []),
    ...(dice.often(20) ? ['--scenario', 'late-callbacks'] : []),
    ...(dice.often(70) ? ['--callback-url', callbackUrl] : []),
  ];
}

/** The address in the first line; the rest is read, and forgotten. */
function readUrl(stream: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve) => {
    let line = '';
    stream.on('data', (chunk) => {
      if (line.includes('\n')) return;
      line += String(chunk);
      if (line.includes('\n')) resolve((JSON.parse(line.split('\n')[0] ?? '') as { url: string }).url);
    });
  });
}

/** Its options are those given here alone. */
function withoutOptions(): NodeJS.ProcessEnv {
  // biome-ignore lint/style/noProcessEnv: a child needs the PATH
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SANDBOX_')));
}

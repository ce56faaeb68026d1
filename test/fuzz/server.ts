/** The built program in a process of its own, with options that are drawn. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Dice } from '../model/dice.ts';
import { startProcess } from '../rig/process.ts';

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

/** @throws where it does not start */
export async function startServer(program: string, dice: Dice, callbackUrl: string): Promise<FuzzedServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-fuzz-'));
  const args = drawOptions(dice, folder, callbackUrl);
  const { child, ready, ended, err, isRunning, stop } = startProcess([process.execPath, program, ...args], {
    kept: 20_000,
  });
  const how = (): string => `the program ended with ${child.exitCode ?? child.signalCode}; it wrote:\n${err()}`;
  void ended.then(() => rmSync(folder, { recursive: true, force: true }));
  const url = await ready.catch(() => {
    throw new Error(`${args.join(' ')}: ${how()}`);
  });
  return {
    url,
    args,
    ended: () => (isRunning() ? undefined : how()),
    stop: async () => {
      if (!isRunning()) return how();
      if ((await stop()) !== 0) return how();
      return mistakes.test(err()) ? `it wrote of a mistake of its own:\n${err()}` : undefined;
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

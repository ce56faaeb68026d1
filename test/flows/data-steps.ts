/** Sandboxes that a test starts and ends itself: once, or with `--data` again on the same folder. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';
import type { OptionTexts } from '../../src/config/options.ts';
import { createWallClock, type WallClock } from '../../src/lib/time.ts';
import type { RunningSandbox } from '../../src/server.ts';
import { startSandbox as startAlone } from '../../src/server.ts';
import { readOptions, startSandbox } from '../harness/start-sandbox.ts';

/** An answer, read. */
export interface Told {
  readonly status: number;
  readonly id: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of all kinds
  readonly body: any;
}

/** A sandbox that runs. */
export interface KeptSandbox {
  readonly sandbox: RunningSandbox;
  /** What it had to say to whoever runs it. */
  readonly remarks: readonly string[];
  api(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Told>;
  control(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Told>;
  close(): Promise<void>;
}

/** Asks a sandbox that is somewhere. */
export async function ask(
  url: string,
  method: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Told> {
  const answer = await fetch(url, {
    method,
    headers: { apikey: 'sandbox-key', 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    id: answer.headers.get('x-request-id'),
    body: text === '' ? undefined : JSON.parse(text),
  };
}

/** Starts a sandbox with these options on a free port. */
export async function startWith(
  options: OptionTexts = {},
  wall: WallClock = createWallClock(),
  start: typeof startAlone = startSandbox,
): Promise<KeptSandbox> {
  const remarks: string[] = [];
  const reportError = (_id: string, error: unknown) => void remarks.push(`bug: ${String(error)}`);
  const warn = (text: string) => void remarks.push(text);
  const sandbox = await start(readOptions(options), { reportError, warn }, wall);
  return {
    sandbox,
    remarks,
    api: (method, where, body, headers) => ask(sandbox.url + where, method, body, headers),
    control: (method, where, body, headers) => ask(`${sandbox.url}/_sandbox${where}`, method, body, headers),
    close: () => sandbox.close(),
  };
}

export interface Folders {
  /** A folder that is not there yet. */
  fresh(): string;
  start(folder: string, options?: OptionTexts, wall?: WallClock): Promise<KeptSandbox>;
}

/** Folders of this file's tests, and sandboxes in them; all of it goes with the file. */
export function useFolders(): Folders {
  const root = mkdtempSync(path.join(tmpdir(), 'field-sandbox-data-'));
  const open = new Set<RunningSandbox>();
  let count = 0;
  afterAll(async () => {
    await Promise.all([...open].map((sandbox) => sandbox.close()));
    rmSync(root, { recursive: true });
  });

  async function start(
    folder: string,
    options: OptionTexts = {},
    wall: WallClock = createWallClock(),
  ): Promise<KeptSandbox> {
    const kept = await startWith({ data: folder, ...options }, wall, startAlone);
    open.add(kept.sandbox);
    return {
      ...kept,
      close: async () => {
        open.delete(kept.sandbox);
        await kept.close();
      },
    };
  }

  return {
    fresh: (): string => {
      count += 1;
      return path.join(root, `data-${count}`);
    },
    start,
  };
}

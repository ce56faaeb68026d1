/** Runs `listen` commands in a test, and waits for their notices. */
import { afterEach } from 'vitest';
import { printTo } from '../../src/cli/frame/io.ts';
import type { ListenTexts } from '../../src/cli/listen/command.ts';
import { runListen } from '../../src/cli/listen/command.ts';
import type { AttemptNotice, Notice } from '../../src/cli/listen/notice.ts';
import { printMistakes } from '../../src/cli/output/text.ts';
import { ConfigError } from '../../src/config/config-error.ts';
import { createIo } from './cli.ts';
import { createTestWall, type TestWall } from './wall.ts';

export interface Listener {
  /** The command's clock, which only a test advances. */
  readonly wall: TestWall;
  /** All notices so far. */
  readonly notices: readonly Notice[];
  /** Returns the notices about attempts. */
  attempts(): readonly AttemptNotice[];
  /** Resolves when there are `count` notices of a kind. */
  waitFor(event: Notice['event'], count: number): Promise<void>;
  end(): Promise<number>;
}

export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a `listen` command until it exits. */
export async function runToEnd(texts: ListenTexts): Promise<CommandResult> {
  const io = createIo();
  const code = await runListen(texts, io).catch((error: unknown) => {
    if (!(error instanceof ConfigError)) throw error;
    return printMistakes(error.mistakes, printTo(io.stderr));
  });
  return { code, ...io.written };
}

/** Returns a function that starts `listen` commands, which end after each test. */
export function useListeners(): (texts: ListenTexts) => Promise<Listener> {
  const running = new Set<() => Promise<number>>();
  afterEach(async () => {
    await Promise.all([...running].map((end) => end()));
    running.clear();
  });

  return async (texts) => {
    const notices: Notice[] = [];
    const waiting = new Set<() => void>();
    const ending = new AbortController();
    const wall = createTestWall(Date.now());
    const io = createIo();
    io.stdout.write = (text: string): boolean => {
      notices.push(JSON.parse(text) as Notice);
      for (const check of waiting) check();
      return true;
    };
    const code = runListen(texts, { ...io, signal: ending.signal }, wall);
    const end = (): Promise<number> => {
      ending.abort();
      return code;
    };
    running.add(end);
    const waitFor = (event: Notice['event'], count: number): Promise<void> =>
      new Promise((done) => {
        const check = (): void => {
          if (notices.filter((notice) => notice.event === event).length >= count) done();
        };
        waiting.add(check);
        check();
      });
    return {
      wall,
      notices,
      attempts: () => notices.filter((notice) => notice.event === 'callback'),
      waitFor,
      end,
    };
  };
}

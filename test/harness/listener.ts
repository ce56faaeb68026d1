/** A `listen` command that runs in a test: what it told so far, and waiting for more. */
import { afterEach } from 'vitest';
import { runListen } from '../../src/cli/listen.ts';
import type { ListenTexts } from '../../src/cli/listen-options.ts';
import type { AttemptNotice, Notice } from '../../src/listen/notice.ts';
import { createTestWall, type TestWall } from './wall.ts';

export interface Listener {
  /** Its waits pass only when this is told to. */
  readonly wall: TestWall;
  readonly told: readonly Notice[];
  /** The attempts among what was told. */
  attempts(): readonly AttemptNotice[];
  /** Resolves when so many of a kind were told. */
  tells(event: Notice['event'], count: number): Promise<void>;
  end(): Promise<number>;
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs it until it ends by itself. */
export async function runToEnd(texts: ListenTexts): Promise<Ran> {
  const written = { out: '', err: '' };
  const print = (text: string): void => {
    written.out += text;
  };
  const complain = (text: string): void => {
    written.err += text;
  };
  const code = await runListen(texts, { print, complain, isTerminal: false });
  return { code, ...written };
}

/** Listeners for the tests of a file, ended after each of them. */
export function useListeners(): (texts: ListenTexts) => Promise<Listener> {
  const running = new Set<() => Promise<number>>();
  afterEach(async () => {
    await Promise.all([...running].map((end) => end()));
    running.clear();
  });

  return async (texts) => {
    const told: Notice[] = [];
    const waiting = new Set<() => void>();
    const ending = new AbortController();
    const wall = createTestWall(Date.now());
    const print = (text: string): void => {
      told.push(JSON.parse(text) as Notice);
      for (const look of waiting) look();
    };
    const complain = (text: string): void => {
      throw new Error(text);
    };
    const code = runListen(texts, { print, complain, isTerminal: false, signal: ending.signal, wall });
    const end = (): Promise<number> => {
      ending.abort();
      return code;
    };
    running.add(end);
    const tells = (event: Notice['event'], count: number): Promise<void> =>
      new Promise((done) => {
        const look = (): void => {
          if (told.filter((notice) => notice.event === event).length >= count) done();
        };
        waiting.add(look);
        look();
      });
    return {
      wall,
      told,
      attempts: () => told.filter((notice) => notice.event === 'callback'),
      tells,
      end,
    };
  };
}

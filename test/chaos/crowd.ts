/** A crowd of clients on plain sockets: they send slowly, or nothing, or do not read, and note when they are let go. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll } from 'vitest';

/** One kind of client. */
export interface Crowd {
  readonly sockets: readonly Socket[];
  /** How long each that was let go had been there, in milliseconds. */
  readonly stayedMs: readonly number[];
  /** The first line of each answer that came. */
  readonly answers: readonly string[];
}

export interface CrowdSetting {
  readonly url: string;
  readonly count: number;
  /** Sent at once. */
  readonly first: string;
  /** Sent then, a character every second, over and over. */
  readonly drip?: string;
  readonly reads?: boolean;
}

/** So many connect at the same time: a system keeps only some hundred waiting. */
const atOnce = 200;

/** Crowds for a file's tests, which go with it. */
export function useCrowds(): (setting: CrowdSetting) => Promise<Crowd> {
  const all: Socket[] = [];
  const timers: NodeJS.Timeout[] = [];
  afterAll(() => {
    for (const timer of timers) clearInterval(timer);
    for (const socket of all) socket.destroy();
  });

  return async ({ url, count, first, drip, reads = true }) => {
    const { hostname, port } = new URL(url);
    const sockets: Socket[] = [];
    const stayedMs: number[] = [];
    const answers: string[] = [];
    async function join(): Promise<void> {
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      all.push(socket);
      await once(socket, 'connect');
      sockets.push(socket);
      const cameMs = performance.now();
      socket.once('close', () => stayedMs.push(performance.now() - cameMs));
      if (reads) socket.once('data', (chunk) => answers.push(chunk.toString().split('\r\n')[0] ?? '')).resume();
      else socket.pause();
      socket.write(first);
    }
    while (sockets.length < count) {
      await Promise.all(Array.from({ length: Math.min(atOnce, count - sockets.length) }, join));
    }
    if (drip !== undefined) {
      let at = 0;
      const timer = setInterval(() => {
        const next = drip[at++ % drip.length] ?? '';
        for (const socket of sockets) if (socket.writable) socket.write(next);
      }, 1000);
      timers.push(timer);
    }
    return { sockets, stayedMs, answers };
  };
}

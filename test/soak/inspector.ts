/** Looks into a running Node process by its inspector: evaluates, and weighs what lives after a full collection. */
import { once } from 'node:events';
import { WebSocket } from 'undici';

export interface Inspector {
  /** What an expression comes to there, as JSON. */
  evaluate<T>(expression: string): Promise<T>;
  /** The bytes of all objects that are reachable: what is not is collected first. */
  liveHeap(): Promise<number>;
  close(): void;
}

interface Answer {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** Connects to the address that Node prints when it is started with `--inspect`. */
export async function connectInspector(url: string): Promise<Inspector> {
  const socket = new WebSocket(url);
  const waiting = new Map<number, { resolve(result: never): void; reject(error: Error): void }>();
  let count = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id = 0, result, error } = JSON.parse(String(data)) as Answer;
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error) asked?.reject(new Error(`inspector: ${error.message}`));
    else asked?.resolve(result as never);
  });
  socket.addEventListener('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('the program has ended'));
    waiting.clear();
  });
  await once(socket, 'open');

  function ask<T>(method: string, params: object = {}): Promise<T> {
    count += 1;
    const id = count;
    socket.send(JSON.stringify({ id, method, params }));
    return new Promise<T>((resolve, reject) => waiting.set(id, { resolve, reject }));
  }

  return {
    evaluate: async <T>(expression: string) => {
      const asked = { expression: `JSON.stringify(${expression})`, returnByValue: true };
      const { result } = await ask<{ result: { value: string } }>('Runtime.evaluate', asked);
      return JSON.parse(result.value) as T;
    },
    liveHeap: async () => {
      await ask('HeapProfiler.collectGarbage');
      const { usedSize } = await ask<{ usedSize: number }>('Runtime.getHeapUsage');
      return usedSize;
    },
    close: () => socket.close(),
  };
}

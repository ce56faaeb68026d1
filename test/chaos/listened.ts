/** Callbacks that a `listen` command passes to a receiver, which answers some with an error: none is lost or repeated. */
import { expect } from 'vitest';
import { ask } from '../flows/data-steps.ts';
import type { Receiver } from '../harness/receiver.ts';
import type { Dice } from '../model/dice.ts';

interface ShownCallback {
  readonly id: string;
  readonly state: string;
  readonly attempts: readonly { readonly status?: number; readonly error?: string }[];
  readonly body: { readonly data: { readonly failed: readonly { readonly id: string }[] } };
}

/** Project whose callbacks are listened to. */
export const project = 'listened';

const isTaken = ({ status = 0 }: { readonly status?: number }): boolean => status >= 200 && status < 300;

export interface Listened {
  /** Imports jobs that fail, each with a callback of its own. */
  work(url: string, count: number): Promise<void>;
  /** Number of callbacks that the receiver has answered with 2xx, and how many of them more than once. */
  counts(): { readonly taken: number; readonly repeated: number };
  /** Waits until every accepted job was reported, and checks that nothing was sent after a stored 2xx. */
  check(url: string): Promise<void>;
}

export function createListened(receiver: Receiver, dice: Dice): Listened {
  const accepted = new Set<string>();
  /** How often each callback was answered with 2xx. */
  const taken = new Map<string, number>();
  let number = 0;
  receiver.handle(({ headers }) => {
    if (dice.often(20)) return 500;
    const id = String(headers['webhook-id']);
    taken.set(id, (taken.get(id) ?? 0) + 1);
    return 204;
  });

  async function list(url: string): Promise<readonly ShownCallback[]> {
    const items: ShownCallback[] = [];
    let cursor = '';
    do {
      const { status, body } = await ask(`${url}/_sandbox/projects/${project}/callbacks?limit=1000${cursor}`, 'GET');
      expect(status).toBe(200);
      items.push(...body.items);
      cursor = body.next === undefined ? '' : `&cursor=${encodeURIComponent(body.next)}`;
    } while (cursor !== '');
    return items;
  }

  return {
    work: async (url, count) => {
      for (let done = 0; done < count; done += 1) {
        number += 1;
        const id = `FAIL-${number}`;
        const answer = await ask(`${url}/async/projects/${project}/jobs`, 'POST', { jobs: [{ id }] }).catch(() => null);
        if (answer?.status === 202) accepted.add(id);
      }
    },
    counts: () => ({ taken: taken.size, repeated: [...taken.values()].filter((times) => times > 1).length }),
    check: async (url) => {
      const toOpen = ({ id, state, attempts }: ShownCallback) =>
        state === 'delivered'
          ? []
          : [`${id} ${state} after ${attempts.length} attempts: ${JSON.stringify(attempts.at(-1))}`];
      const options = { timeout: 60_000, interval: 100 };
      await expect.poll(async () => (await list(url)).flatMap(toOpen), options).toEqual([]);
      const callbacks = await list(url);
      const reported = new Set(callbacks.flatMap(({ body }) => body.data.failed.map(({ id }) => id)));
      expect([...accepted].filter((id) => !reported.has(id))).toEqual([]);
      expect(callbacks.filter(({ id }) => !taken.has(id))).toEqual([]);
      expect(callbacks.filter(({ attempts }) => attempts.findIndex(isTaken) < attempts.length - 1)).toEqual([]);
    },
  };
}

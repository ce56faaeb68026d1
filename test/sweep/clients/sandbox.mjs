/** What the suite needs of the sandbox's control API. */
import { setTimeout as sleep } from 'node:timers/promises';

const idOf = ({ id, username, deviceId }) => id ?? username ?? deviceId;

export function createSandbox(url, project) {
  const control = `${url}/_sandbox/projects/${project}`;

  async function get(path) {
    const response = await fetch(`${control}/${path}`);
    return response.json();
  }

  async function findDifferencesIn(collection, expected) {
    const { items } = await get(collection);
    const stored = items.map((item) => `${idOf(item)} ${item.status ?? item.eventDateTime ?? ''}`).sort();
    const isSame = stored.join() === expected.join();
    return isSame ? [] : [`stored ${collection}: expected ${expected.join(', ')}; got ${stored.join(', ') || 'none'}`];
  }

  return {
    async sendCallbacksTo(receiver) {
      const body = JSON.stringify({ url: receiver });
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${control}/callback-endpoint`, { method: 'PUT', headers, body });
      if (!response.ok) throw new Error(`the callback endpoint was rejected: ${await response.text()}`);
    },
    /** Waits until nothing is left to process or to send. */
    async untilIdle(signal) {
      while (!signal.aborted && (await get('clock')).pending > 0) await sleep(20);
    },
    /** Compares the stored records: ids with their status or time, by collection. */
    async findDifferences(expected) {
      const found = Object.entries(expected).map(([collection, ids]) => findDifferencesIn(collection, ids));
      return (await Promise.all(found)).flat();
    },
  };
}

/** The cluster port answers replicas only: clients that know the secret of the cluster. */
import { expect, onTestFinished, test } from 'vitest';
import { toFrame } from '../../../src/cluster/transport/messages.ts';
import { listenForPeers } from '../../../src/cluster/transport/peer-server.ts';

interface Listening {
  /** Sends a request, and returns the status of its response. */
  send(authorization?: string): Promise<number>;
  /** The number of requests that were handled. */
  count(): number;
}

async function listen(secret: string | undefined): Promise<Listening> {
  let handled = 0;
  const { port, close } = await listenForPeers({
    host: '127.0.0.1',
    port: 0,
    secret: () => secret,
    handle: () => {
      handled += 1;
      return Promise.resolve({ status: 204, headers: {}, body: undefined });
    },
    reportError: () => undefined,
  });
  onTestFinished(close);
  const send = async (authorization?: string): Promise<number> => {
    const headers = authorization === undefined ? {} : { authorization };
    const response = await fetch(`http://127.0.0.1:${port}/control`, { method: 'POST', headers, body: toFrame({}) });
    return response.status;
  };
  return { send, count: () => handled };
}

test.each([undefined, '', 'Bearer', 'Bearer other', 'Bearer the-secret2', 'the-secret', 'Basic the-secret'])(
  'a request with the authorization %j is rejected',
  async (authorization) => {
    const { send, count } = await listen('the-secret');
    expect(await send(authorization)).toBe(401);
    expect(count()).toBe(0);
  },
);

test('a request with the secret is handled', async () => {
  const { send, count } = await listen('the-secret');
  expect(await send('Bearer the-secret')).toBe(200);
  expect(count()).toBe(1);
});

test.each([undefined, 'Bearer undefined', 'Bearer '])(
  'before the replica has joined, a request with the authorization %j is rejected',
  async (authorization) => {
    const { send, count } = await listen(undefined);
    expect(await send(authorization)).toBe(401);
    expect(count()).toBe(0);
  },
);

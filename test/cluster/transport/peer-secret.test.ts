/** The cluster port answers replicas only: clients that know the secret of the cluster. */
import { expect, onTestFinished, test } from 'vitest';
import { toFrame } from '../../../src/cluster/transport/messages.ts';
import { listenForPeers } from '../../../src/cluster/transport/peer-server.ts';

const wrong = [undefined, '', 'Bearer', 'Bearer other', 'Bearer the-secret2', 'the-secret', 'Basic the-secret'];

test.each([
  ...wrong.map((authorization) => ({ secret: 'the-secret', authorization, status: 401 })),
  { secret: 'the-secret', authorization: 'Bearer the-secret', status: 200 },
  // Before the replica has joined.
  ...[undefined, 'Bearer undefined', 'Bearer '].map((authorization) => ({
    ...{ secret: undefined, authorization, status: 401 },
  })),
])('a request: %j', async ({ secret, authorization, status }) => {
  let handled = 0;
  const { port, answer, close } = await listenForPeers({ host: '127.0.0.1', port: 0, reportError: () => undefined });
  onTestFinished(close);
  if (secret !== undefined)
    answer(secret, () => {
      handled += 1;
      return Promise.resolve({ status: 204, headers: {}, body: undefined });
    });
  const headers = authorization === undefined ? {} : { authorization };
  const response = await fetch(`http://127.0.0.1:${port}/control`, { method: 'POST', headers, body: toFrame({}) });
  expect([response.status, handled]).toEqual([status, status === 200 ? 1 : 0]);
});

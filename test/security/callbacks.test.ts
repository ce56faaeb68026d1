/** Where callbacks go when names and addresses play tricks. */
import type { LookupFunction } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createSender } from '../../src/callbacks/send.ts';
import { useReceiver } from '../harness/receiver.ts';

const receiver = useReceiver();
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

describe('a host name', () => {
  const port = () => new URL(receiver.url()).port;
  const resolving = (...answers: readonly string[][]): { lookup: LookupFunction; asked(): number } => {
    let asked = 0;
    const lookup: LookupFunction = (_name, _options, callback) => {
      const addresses = answers[asked] ?? [];
      asked += 1;
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    };
    return { lookup, asked: () => asked };
  };
  const deliver = (lookup: LookupFunction) => {
    const sender = createSender({ allow: [], timeoutMs: 5000, lookup });
    closing.push(() => void sender.close());
    return () => sender.send({ url: `http://moving.example:${port()}/`, headers: {}, body: '{}' });
  };

  test('is resolved once per attempt, and the checked address is the one that is called', async () => {
    const { lookup, asked } = resolving(['127.0.0.1'], ['169.254.169.254'], ['127.0.0.1']);
    const send = deliver(lookup);
    expect(await send()).toEqual({ status: 204 });
    expect(asked()).toBe(1);
    expect(await send()).toEqual({ error: 'address 169.254.169.254 is forbidden for callbacks' });
    expect(await send()).toEqual({ status: 204 });
    expect(asked()).toBe(3);
    expect(receiver.received).toHaveLength(2);
  });
});

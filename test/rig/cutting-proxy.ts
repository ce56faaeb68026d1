/** A TCP proxy that simulates a broken network between a client and a server that both keep running. */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

export interface CuttingProxy {
  readonly port: number;
  /** The target's URL with the address of the proxy. */
  readonly url: string;
  /** Resets all connections, and refuses new ones. */
  cut(): Promise<void>;
  /** Accepts connections, but passes nothing: neither data nor the end of a connection. */
  hang(): void;
  /** Works again. What was sent while it hung arrives late. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

type Pair = readonly [incoming: Socket, outgoing: Socket];

/** Where a proxy listens; by default on a free port of 127.0.0.1. */
export interface ProxyAddress {
  readonly host: string;
  readonly port: number;
}

/** Starts a proxy in front of a server: `startCuttingProxy('postgresql://postgres@127.0.0.1:5432/postgres')`. */
export async function startCuttingProxy(
  target: string,
  { host, port: wanted }: ProxyAddress = { host: '127.0.0.1', port: 0 },
): Promise<CuttingProxy> {
  const { hostname, port: targetPort } = new URL(target);
  const pairs = new Set<Pair>();
  let isHanging = false;

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (incoming) => {
    const outgoing = connect({ host: hostname, port: Number(targetPort), allowHalfOpen: true, noDelay: true });
    const pair: Pair = [incoming, outgoing];
    pairs.add(pair);
    for (const socket of pair) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        if (!isHanging) endIfClosed(pair);
      });
    }
    if (!isHanging) pass(pair);
  });
  const endPair = (pair: Pair): void => {
    pairs.delete(pair);
    for (const socket of pair) socket.resetAndDestroy();
  };
  /** After a clean end of one socket, the other may still be sending. */
  const endIfClosed = (pair: Pair): void => {
    if (pair.some(({ errored }) => errored) || pair.every(({ destroyed }) => destroyed)) endPair(pair);
  };
  const end = async (): Promise<void> => {
    const isClosed = server.listening ? once(server, 'close') : undefined;
    server.close();
    for (const pair of pairs) endPair(pair);
    await isClosed;
  };

  const port = await listen(server, host, wanted);
  return {
    port,
    url: Object.assign(new URL(target), { host: `${host}:${port}` }).href,
    cut: end,
    hang: () => {
      isHanging = true;
      for (const pair of pairs) hold(pair);
    },
    restore: async () => {
      isHanging = false;
      for (const pair of pairs) {
        pass(pair);
        endIfClosed(pair);
      }
      if (!server.listening) await listen(server, host, port);
    },
    close: end,
  };
}

function pass([incoming, outgoing]: Pair): void {
  incoming.pipe(outgoing).pipe(incoming);
}

function hold([incoming, outgoing]: Pair): void {
  incoming.unpipe(outgoing).pause();
  outgoing.unpipe(incoming).pause();
}

/** Listens on a port. While it was closed, an outgoing connection of the machine may have taken it for a moment. */
async function listen(server: Server, host: string, port: number): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    server.listen(port, host);
    try {
      await once(server, 'listening');
      break;
    } catch (error) {
      if (attempt === 50) throw error;
      await setTimeout(100);
    }
  }
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has an address with a port');
  return address.port;
}

/** Lets a server listen, on a port for TLS as well where that is wanted, and ends both. */
import type { Server } from 'node:http';
import type { AddressInfo, Server as NetServer } from 'node:net';
import type { WallClock } from '../base/time.ts';

/** Where to listen. */
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly tlsPort: number;
  /** Without one there is no TLS. */
  readonly certificate: { readonly cert: string; readonly key: string } | undefined;
}

/** A server that listens. */
export interface Listening {
  /** Its base address, without a trailing slash. */
  readonly url: string;
  /** The one over TLS, where there is one. */
  readonly tlsUrl: string | undefined;
  /** Stops listening and lets requests under way end; who has not sent a whole one within five seconds is let go. */
  close(): Promise<void>;
}

/** How long connections may take to end when the server is closed. */
const graceMs = 5000;

/** How often it is looked for connections that have nothing more to do. */
const sweepMs = 20;

/**
 * Listens on both ports.
 * @throws Error with a `code` (EADDRINUSE, …) and the `port` that can't be listened on; nothing listens then
 */
export async function listen(server: Server, options: ListenOptions, wall: WallClock): Promise<Listening> {
  const { host, port, tlsPort, certificate } = options;
  const secure = certificate && (await import('./secure-server.ts')).createSecureServer(server, certificate);
  const servers: readonly NetServer[] = secure ? [server, secure.server] : [server];
  await open(server, port, host);
  if (secure) {
    await open(secure.server, tlsPort, host).catch((error: unknown) => {
      server.close();
      throw error;
    });
  }
  return {
    url: `http://${toUrlHost(host)}:${toPort(server)}`,
    tlsUrl: secure && `https://${toUrlHost(host)}:${toPort(secure.server)}`,
    close: async () => {
      const closed = servers.map((one) => new Promise<void>((done) => one.close(() => done())));
      // Connections whose last request ends only now are idle then, and would be kept for the next one.
      const sweep = setInterval(() => server.closeIdleConnections(), sweepMs);
      const stopWaiting = wall.after(graceMs, () => {
        server.closeAllConnections();
        secure?.destroyAll();
      });
      await Promise.all(closed);
      clearInterval(sweep);
      stopWaiting();
    },
  };
}

function open(server: NetServer, port: number, host: string): Promise<void> {
  return new Promise((listening, failed) => {
    server.once('error', failed).listen(port, host, () => listening());
  });
}

function toPort(server: NetServer): number {
  return (server.address() as AddressInfo).port;
}

/** An address that a client can ask for, in place of "all of them". */
function toUrlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

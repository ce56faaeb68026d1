/** Starts listening on a port, and optionally on a second one for TLS; closes both. */
import type { Server } from 'node:http';
import type { AddressInfo, Server as NetServer } from 'node:net';
import type { WallClock } from '../lib/time.ts';
import { trackConnections } from './connections.ts';

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly tlsPort: number;
  /** Undefined: no TLS. */
  readonly certificate: { readonly cert: string; readonly key: string } | undefined;
}

export interface ListeningServer {
  /** Its base address, without a trailing slash. */
  readonly url: string;
  /** Its base address for TLS, or undefined if TLS is off. */
  readonly tlsUrl: string | undefined;
  /**
   * Stops listening, calls `onStopped`, and finishes current requests, and later ones on connections that are open
   * until these were quiet for `quietMs`. After five seconds, closes all connections.
   */
  close(quietMs: number, onStopped: () => void): Promise<void>;
}

/** Maximum time for connections to end when the server is closed, in milliseconds. */
const graceMs = 5000;

/**
 * Listens on both ports. Reports a connection that can't be accepted, such as for lack of file descriptors, to
 * `onError`.
 * @throws Error with a `code` (EADDRINUSE, …) and the `port`, if a port can't be listened on; neither port is open then
 */
export async function listen(
  server: Server,
  options: ListenOptions,
  wall: WallClock,
  onError: (error: NodeJS.ErrnoException) => void,
): Promise<ListeningServer> {
  const { host, port, tlsPort, certificate } = options;
  const secure = certificate && (await import('./secure-server.ts')).createSecureServer(server, certificate);
  const servers: readonly NetServer[] = secure ? [server, secure.server] : [server];
  const connections = trackConnections(server, servers, wall);
  await open(server, port, host);
  if (secure) {
    await open(secure.server, tlsPort, host).catch((error: unknown) => {
      server.close();
      throw error;
    });
  }
  // Without a listener, an error event ends the process.
  for (const one of servers) one.on('error', onError);
  return {
    url: `http://${toUrlHost(host)}:${toPort(server)}`,
    tlsUrl: secure && `https://${toUrlHost(host)}:${toPort(secure.server)}`,
    close: async (quietMs, onStopped) => {
      const stopWaiting = wall.after(graceMs, () => {
        server.closeAllConnections();
        secure?.destroyAll();
      });
      await connections.acceptWaiting();
      // Node would close idle connections at once, and lose requests that are arriving.
      server.closeIdleConnections = () => undefined;
      const closed = servers.map((one) => new Promise<void>((done) => one.close(() => done())));
      onStopped();
      const stopEnding = connections.endQuiet(quietMs);
      await Promise.all(closed);
      stopEnding();
      stopWaiting();
    },
  };
}

function open(server: NetServer, port: number, host: string): Promise<void> {
  return new Promise((listening, failed) => {
    server.once('error', failed).listen(port, host, () => {
      server.off('error', failed);
      listening();
    });
  });
}

function toPort(server: NetServer): number {
  return (server.address() as AddressInfo).port;
}

/** Returns the host for URLs; for "all addresses", the loopback address. */
function toUrlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

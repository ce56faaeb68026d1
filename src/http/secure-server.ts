/** Listens for TLS: passes each connection to the plain server after the handshake. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { createServer, type Server as TlsServer } from 'node:tls';

export interface SecureServer {
  readonly server: TlsServer;
  /** Destroys all its connections at once, including those in the handshake. */
  destroyAll(): void;
}

/** Only HTTP/1.1, so that a connection that a scenario breaks belongs to one request. */
const protocols = ['http/1.1'];

/** Creates a server that passes its connections to `plain`. */
export function createSecureServer(
  plain: Server,
  certificate: { readonly cert: string; readonly key: string },
): SecureServer {
  const { cert, key } = certificate;
  // TCP sockets by peer address: Node has no way from a TLS socket to its TCP socket, but both have the same peer.
  const tcpSockets = new Map<string, Socket>();
  const { headersTimeout: handshakeTimeout, maxConnections } = plain;
  const server = createServer({ cert, key, ALPNProtocols: protocols, noDelay: true, handshakeTimeout });
  server.maxConnections = maxConnections;
  server.on('connection', (raw) => {
    const peer = toPeer(raw);
    tcpSockets.set(peer, raw);
    raw.once('close', () => {
      if (tcpSockets.get(peer) === raw) tcpSockets.delete(peer);
    });
  });
  server.on('secureConnection', (socket) => {
    const raw = tcpSockets.get(toPeer(socket));
    // Only a TCP socket can be reset; a TLS socket throws.
    socket.resetAndDestroy = () => {
      if (raw) raw.resetAndDestroy();
      else socket.destroy();
      return socket;
    };
    plain.emit('connection', socket);
  });
  // The client does not use TLS, or does not trust the certificate.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return {
    server,
    destroyAll: () => {
      for (const raw of tcpSockets.values()) raw.destroy();
    },
  };
}

function toPeer({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

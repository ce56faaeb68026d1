/** A port that speaks TLS: each connection, once it is secure, becomes one of the plain server's, and is served there. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { createServer, type Server as TlsServer } from 'node:tls';

/** A port for TLS. */
export interface SecureServer {
  readonly server: TlsServer;
  /** Ends all its connections at once, also those that are not secure yet. */
  destroyAll(): void;
}

/** Not HTTP/2: a connection that a scenario breaks is to be that of one request. */
const protocols = ['http/1.1'];

/** A server whose connections are handed to `plain`. */
export function createSecureServer(
  plain: Server,
  certificate: { readonly cert: string; readonly key: string },
): SecureServer {
  const { cert, key } = certificate;
  // Node shows no way from a secure socket to the one beneath it; who is at the other end is the same for both.
  const beneath = new Map<string, Socket>();
  const { headersTimeout: handshakeTimeout, maxConnections } = plain;
  const server = createServer({ cert, key, ALPNProtocols: protocols, noDelay: true, handshakeTimeout });
  server.maxConnections = maxConnections;
  server.on('connection', (raw) => {
    const peer = toPeer(raw);
    beneath.set(peer, raw);
    raw.once('close', () => {
      if (beneath.get(peer) === raw) beneath.delete(peer);
    });
  });
  server.on('secureConnection', (socket) => {
    const raw = beneath.get(toPeer(socket));
    // Only a TCP socket can be reset; a secure one throws.
    socket.resetAndDestroy = () => {
      if (raw) raw.resetAndDestroy();
      else socket.destroy();
      return socket;
    };
    plain.emit('connection', socket);
  });
  // Who speaks no TLS, or does not trust the certificate.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return {
    server,
    destroyAll: () => {
      for (const raw of beneath.values()) raw.destroy();
    },
  };
}

function toPeer({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

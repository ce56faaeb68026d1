/** Receives requests of other replicas. They prove that they know the secret of the cluster. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Reply } from '../../http/reply.ts';
import { isSameSecret } from '../../lib/same-secret.ts';
import { MayBeApplied, ProjectLost, toStoreError } from '../../project/persistence/store-errors.ts';
import { type Frame, readFrame, sendReply } from './messages.ts';

export interface PeerRequest extends Frame {
  /** Calls the listener when the other replica has given up. Returns a function that unsubscribes. */
  onLeave(listener: () => void): () => void;
}

/** Handles a request. @throws ProjectLost if the project is not here, MayBeApplied if it was lost meanwhile */
export type HandlePeer = (request: PeerRequest) => Promise<Reply>;

export interface PeerServer {
  readonly port: number;
  /** Handles requests with this secret from now on. Until then, all are refused. */
  answer(secret: string, handle: HandlePeer): void;
  close(): Promise<void>;
}

interface Parts {
  readonly host: string;
  readonly port: number;
  reportError(error: unknown): void;
}

export async function listenForPeers({ host, port, reportError }: Parts): Promise<PeerServer> {
  let joined: { readonly authorization: string; readonly handle: HandlePeer } | undefined;
  const server = createServer(
    { requestTimeout: 0, headersTimeout: 30_000, keepAliveTimeout: 60_000 },
    (request, response) => {
      answer(request, response).catch((error: unknown) => {
        reportError(error);
        response.destroy();
      });
    },
  );

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!joined || !isSameSecret(request.headers.authorization ?? '', joined.authorization)) {
      response.writeHead(401).end();
      return;
    }
    if (request.method === 'GET') {
      response.writeHead(200).end();
      return;
    }
    const frame = readFrame(await buffer(request));
    try {
      const reply = await joined.handle({ ...frame, onLeave: (listener) => onceLeft(response, listener) });
      await sendReply(response, reply);
    } catch (error) {
      response.writeHead(statusOf(error)).end();
    }
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    answer: (secret, handle) => {
      joined = { authorization: `Bearer ${secret}`, handle };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** @throws errors of other kinds */
function statusOf(error: unknown): number {
  const known = toStoreError(error);
  if (!known) throw error;
  if (known instanceof MayBeApplied) return 502;
  return known instanceof ProjectLost ? 409 : 503;
}

function onceLeft(response: ServerResponse, listener: () => void): () => void {
  if (response.destroyed) queueMicrotask(listener);
  else response.once('close', listener);
  return () => response.off('close', listener);
}

/**
 * Starts listening on a port, and optionally on a second one for TLS; closes both without losing responses or cutting off
 * requests.
 */
import { lookup } from 'node:dns/promises';
import { Server } from 'node:http';
import type { AddressInfo, Server as NetServer, Socket } from 'node:net';
import type { WallClock } from '../lib/time.ts';
import { timers } from '../lib/timers.ts';

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
  /** Shows this certificate to clients that connect from now on. */
  setCertificate(certificate: { readonly cert: string; readonly key: string }): void;
  /**
   * Stops listening, calls `onStopped`, and finishes current requests, and later ones on connections that are open
   * until these were quiet for `quietMs`. After five seconds, or after `maxMs`, closes all connections.
   */
  close(quietMs: number, onStopped: () => void, maxMs?: number): Promise<void>;
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
  const connections = new Connections(server, servers, wall);
  // Without looking up a name in between, both ports open in one turn: no request comes to one before the other is open.
  const { address } = await lookup(host);
  await open(server, port, address);
  if (secure) {
    await open(secure.server, tlsPort, address).catch((error: unknown) => {
      server.close();
      throw error;
    });
  }
  // Without a listener, an error event ends the process.
  for (const one of servers) one.on('error', onError);
  return {
    url: `http://${toUrlHost(host)}:${toPort(server)}`,
    tlsUrl: secure && `https://${toUrlHost(host)}:${toPort(secure.server)}`,
    setCertificate: ({ cert, key }) => secure?.server.setSecureContext({ cert, key }),
    close: async (quietMs, onStopped, maxMs = graceMs) => {
      const stopWaiting = wall.after(Math.min(graceMs, maxMs), () => {
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

/** Interval between checks of the connections, in milliseconds. */
const checkMs = 20;

/** Minimum number of checks of a connection: all data received before the first one is read by then. */
const minChecks = 3;

/** Maximum time to accept connections, in milliseconds and in turns of the event loop; a turn accepts one per port. */
const maxAcceptMs = 2000;
const maxAcceptTurns = 500;

/** The connections of `plain`, which receives all, and of the ports that pass theirs to it. */
class Connections {
  readonly #plain: Server;
  readonly #wall: WallClock;
  /** The open connections, each with the bytes that it had received when it was accepted, such as those of TLS. */
  readonly #open = new Map<Socket, number>();
  readonly #paused = new Set<Socket>();
  #accepted = 0;
  #isAccepting = false;

  constructor(plain: Server, ports: readonly NetServer[], wall: WallClock) {
    this.#plain = plain;
    this.#wall = wall;
    for (const port of ports) {
      port.on('connection', () => {
        this.#accepted += 1;
      });
    }
    plain.on('connection', (socket) => {
      this.#open.set(socket, socket.bytesRead);
      if (this.#isAccepting) this.#pause(socket);
      socket.once('close', () => this.#open.delete(socket));
    });
  }

  /** Accepts the connections that wait in the system's queue: the system resets them when the port is closed. */
  async acceptWaiting(): Promise<void> {
    const startedMs = this.#wall.elapsed();
    const isLate = () => this.#wall.elapsed() - startedMs > maxAcceptMs;
    const turn = () => new Promise((next) => timers.setImmediate(next));
    this.#isAccepting = true;
    for (const socket of this.#open.keys()) this.#pause(socket);
    // Waits for the end of this turn; connections are accepted between it and the end of the next one.
    await turn();
    for (let turns = 0, before = -1; turns < maxAcceptTurns && before !== this.#accepted && !isLate(); turns += 1) {
      before = this.#accepted;
      await turn();
    }
    this.#isAccepting = false;
    for (const socket of this.#paused) socket.resume();
  }

  /** Ends connections that were quiet for `quietMs`, and destroys them after as long again. Returns how to stop. */
  endQuiet(quietMs: number): () => void {
    const maxChecks = Math.max(minChecks, Math.ceil(quietMs / checkMs));
    const states = new Map<Socket, QuietState>();
    const check = (): void => {
      const idle = findIdle(this.#plain, [...this.#open.keys()]);
      for (const [socket, acceptedBytes] of this.#open) {
        drain(socket);
        const before = states.get(socket) ?? { bytes: socket.bytesRead, checks: 0 };
        // For Node, a connection that has sent nothing yet is not idle.
        const checks = countQuiet(socket, before, idle.has(socket) || socket.bytesRead === acceptedBytes);
        const isOver = checks >= maxChecks;
        if (isOver) endOrDestroy(socket);
        states.set(socket, { bytes: socket.bytesRead, checks: isOver ? 0 : checks });
      }
    };
    check();
    const timer = timers.setInterval(check, checkMs);
    return () => timers.clearInterval(timer);
  }

  /** Pauses a connection while others are accepted: on a busy server, each turn would otherwise take seconds. */
  #pause(socket: Socket): void {
    if (!socket.isPaused()) this.#paused.add(socket.pause());
  }
}

/** A connection at the last check: its received bytes, and the number of checks since it became quiet. */
interface QuietState {
  readonly bytes: number;
  readonly checks: number;
}

/** Returns for how many checks a connection was quiet. An ended one is quiet if it receives nothing. */
function countQuiet(socket: Socket, { bytes, checks }: QuietState, isIdle: boolean): number {
  const isQuiet = socket.writableEnded ? socket.bytesRead === bytes : isIdle;
  return isQuiet ? checks + 1 : 0;
}

function endOrDestroy(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.end();
}

/**
 * Returns the connections without an unfinished request. Only Node knows them: `closeIdleConnections` would destroy
 * exactly these, so `destroy` is replaced during the call.
 */
function findIdle(server: Server, open: readonly Socket[]): ReadonlySet<Socket> {
  const idle = new Set<Socket>();
  for (const socket of open) {
    socket.destroy = () => {
      idle.add(socket);
      return socket;
    };
  }
  Server.prototype.closeIdleConnections.call(server);
  for (const socket of open) delete (socket as Partial<Socket>).destroy;
  return idle;
}

/** Makes Node end a connection after the last response: closing would reset one with unread data. */
function drain(socket: Socket): void {
  socket.destroySoon = () => {
    if (!socket.writableEnded) socket.end();
  };
}

/** Closes the connections of a server that shuts down, without losing responses or cutting off requests. */
import { Server } from 'node:http';
import type { Server as NetServer, Socket } from 'node:net';
import type { WallClock } from '../lib/time.ts';
import { timers } from '../lib/timers.ts';

/** Interval between checks of the connections, in milliseconds. */
const checkMs = 20;

/** Minimum number of checks of a connection: all data received before the first one is read by then. */
const minChecks = 3;

/** Maximum time to accept connections, in milliseconds and in turns of the event loop; a turn accepts one per port. */
const maxAcceptMs = 2000;
const maxAcceptTurns = 500;

export interface Connections {
  /** Accepts the connections that wait in the system's queue: the system resets them when the port is closed. */
  acceptWaiting(): Promise<void>;
  /** Ends connections that were quiet for `quietMs`, and destroys them after as long again. Returns how to stop. */
  endQuiet(quietMs: number): () => void;
}

/** Tracks the connections of `plain`, which receives all, and of the ports that pass theirs to it. */
export function trackConnections(plain: Server, ports: readonly NetServer[], wall: WallClock): Connections {
  const open = new Set<Socket>();
  const paused = new Set<Socket>();
  let accepted = 0;
  let isAccepting = false;
  // Pauses connections meanwhile: on a busy server, each turn would otherwise take seconds.
  const pause = (socket: Socket): void => {
    if (socket.isPaused()) return;
    paused.add(socket.pause());
  };
  const count = (): void => {
    accepted += 1;
  };
  for (const port of ports) port.on('connection', count);
  plain.on('connection', (socket) => {
    open.add(socket);
    if (isAccepting) pause(socket);
    socket.once('close', () => open.delete(socket));
  });

  async function acceptWaiting(): Promise<void> {
    const startedMs = wall.elapsed();
    const isLate = () => wall.elapsed() - startedMs > maxAcceptMs;
    const turn = () => new Promise((next) => timers.setImmediate(next));
    isAccepting = true;
    open.forEach(pause);
    // Waits for the end of this turn; connections are accepted between it and the end of the next one.
    await turn();
    for (let turns = 0, before = -1; turns < maxAcceptTurns && before !== accepted && !isLate(); turns += 1) {
      before = accepted;
      await turn();
    }
    isAccepting = false;
    for (const socket of paused) socket.resume();
  }

  function endQuiet(quietMs: number): () => void {
    const maxChecks = Math.max(minChecks, Math.ceil(quietMs / checkMs));
    const states = new Map<Socket, QuietState>();
    const check = (): void => {
      const idle = findIdle(plain, open);
      for (const socket of open) {
        drain(socket);
        const before = states.get(socket) ?? { bytes: socket.bytesRead, checks: 0 };
        const checks = countQuiet(socket, before, idle.has(socket));
        const isOver = checks >= maxChecks;
        if (isOver) endOrDestroy(socket);
        states.set(socket, { bytes: socket.bytesRead, checks: isOver ? 0 : checks });
      }
    };
    check();
    const timer = timers.setInterval(check, checkMs);
    return () => timers.clearInterval(timer);
  }

  return { acceptWaiting, endQuiet };
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
function findIdle(server: Server, open: ReadonlySet<Socket>): ReadonlySet<Socket> {
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

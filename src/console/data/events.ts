/** Connects to the event stream, reconnects automatically, and reports missed events. */
import { base } from './client.ts';
import { createStore, type Store } from './store.ts';

export type ConnectionState = 'connecting' | 'live' | 'lost';

export const connection: Store<ConnectionState> = createStore<ConnectionState>('connecting');

export interface EventHandlers {
  readonly request: (data: RequestEvent) => void;
  readonly callback: (data: CallbackEvent) => void;
  readonly change: (data: { project: string | null; what: string }) => void;
  /** The sandbox applied a deferred command after its response: records may have changed. */
  readonly records: (data: { project: string }) => void;
  /** Events were missed: the displayed data may be outdated, so load it again. */
  readonly missed: () => void;
}

export interface RequestEvent {
  readonly id: string;
  readonly at: string;
  readonly project: string | null;
  readonly operation: string | null;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly warnings: number;
  /** Number of entries that the response rejected. */
  readonly refused: number;
  readonly rules?: number;
  /** The scenarios whose rules fired. */
  readonly scenarios?: readonly string[];
}

export interface CallbackEvent {
  readonly id: string;
  readonly project: string;
  readonly type: string;
  readonly state: string;
  readonly requestId: string;
  /** Number of failed entries that the callback reports. */
  readonly failed: number;
  readonly dueAt: string;
  readonly attempts: number;
}

/**
 * How long a hidden page stays connected. A browser allows only a few connections per host, shared by all its pages.
 */
const hiddenMs = 5000;

/** Delay before reconnecting, if the browser has stopped reconnecting by itself. */
const reconnectMs = 2000;

const listeners = new Set<Partial<EventHandlers>>();

/** Adds handlers for events. Returns a function that removes them. */
export function listen(handler: Partial<EventHandlers>): () => void {
  listeners.add(handler);
  return () => listeners.delete(handler);
}

function dispatch<Kind extends keyof EventHandlers>(kind: Kind, ...data: Parameters<EventHandlers[Kind]>): void {
  for (const handler of listeners)
    (handler[kind] as ((...all: Parameters<EventHandlers[Kind]>) => void) | undefined)?.(...data);
}

/** Connects to the event stream while the page is visible. Call it once. */
export function connectEvents(): void {
  let isReconnect = false;
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function disconnect(): void {
    source?.close();
    source = undefined;
    isReconnect = true;
  }

  function open(): void {
    source = new EventSource(`${base}/events?records=true`);
    source.onopen = () => {
      connection.set('live');
      // The browser reconnects with the last event id, and the sandbox then reports a gap. If no event was received
      // before, there is no id, so the sandbox cannot report the gap.
      if (isReconnect) dispatch('missed');
      isReconnect = false;
    };
    source.onerror = () => {
      connection.set('lost');
      isReconnect = true;
      if (source?.readyState !== EventSource.CLOSED) return;
      disconnect();
      timer = setTimeout(open, reconnectMs);
    };
    source.addEventListener('request', ({ data }) => dispatch('request', JSON.parse(data)));
    source.addEventListener('callback', ({ data }) => dispatch('callback', JSON.parse(data)));
    source.addEventListener('change', ({ data }) => dispatch('change', JSON.parse(data)));
    source.addEventListener('records', ({ data }) => dispatch('records', JSON.parse(data)));
    source.addEventListener('gap', () => dispatch('missed'));
  }

  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(disconnect, hiddenMs);
    else if (source === undefined) open();
  });
  open();
}

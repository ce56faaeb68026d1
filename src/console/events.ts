/** Connects to the event stream, reconnects automatically, and reports missed events. */
import { type Signal, signal } from '@preact/signals';
import { base, callApi, isLoginRequired } from './api.ts';

export type ConnectionState = 'connecting' | 'live' | 'lost';

export const connection: Signal<ConnectionState> = signal<ConnectionState>('connecting');

/** What of an event the console reads: it loads again what may have changed. */
export interface SandboxEvent {
  /**
   * `records`: deferred commands changed records. `missed`: events were, so all that is shown may be outdated. `acted`: the
   * user changed something on this page.
   */
  readonly kind: (typeof streamedKinds)[number] | 'missed' | 'acted';
  /** Null for all projects, and for a request that names none. */
  readonly project: string | null;
  /** Of a change: such as `reset`. */
  readonly what?: string;
  /** Of a callback. */
  readonly requestId?: string;
}

const streamedKinds = ['request', 'callback', 'change', 'records'] as const;

/**
 * How long a hidden page stays connected. A browser allows only a few connections per host, shared by all its pages.
 */
const hiddenMs = 5000;

/** Delay before reconnecting, if the browser has stopped reconnecting by itself, and between looks for changes. */
const reconnectMs = 2000;

/** How many pages follow the events. The others look for changes: requests need connections, too. */
const maxFollowers = 4;

const listeners = new Set<(event: SandboxEvent) => void>();

/** Calls the listener for each event. Returns a function that unsubscribes. */
export function listen(listener: (event: SandboxEvent) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function dispatch(event: SandboxEvent): void {
  for (const listener of listeners) listener(event);
}

/** The other pages of this browser: what the user does on one, such as a logout, concerns all of them. */
const pages = new BroadcastChannel(`field-sandbox ${base}`);
pages.onmessage = () => dispatch(missed);

/** Loads again what all pages show, after the user has changed something. */
export function acted(): void {
  dispatch({ kind: 'acted', project: null });
  pages.postMessage('acted');
}

const missed: SandboxEvent = { kind: 'missed', project: null };

/** Connects to the event stream while the page is visible. Call it once. */
export function connectEvents(): void {
  let isReconnect = false;
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let free: (() => void) | undefined;
  /** Number of the latest attempt to connect. */
  let latest = 0;

  function disconnect(): void {
    latest += 1;
    free?.();
    source?.close();
    source = undefined;
    isReconnect = true;
  }

  /** Follows the events, if there is a place. Without HTTPS, only pages of the own machine have locks to count them. */
  function open(): void {
    // The login opens the stream.
    if (isLoginRequired.value) return;
    latest += 1;
    const own = latest;
    const { locks }: Partial<Navigator> = navigator;
    if (!locks) follow();
    locks?.request(pages.name, { mode: 'shared' }, async () => {
      const { held = [] } = await locks.query();
      if (own !== latest) return;
      if (held.filter(({ name }) => name === pages.name).length > maxFollowers) {
        isReconnect = true;
        connection.value = await callApi('GET', '/session').then(
          () => 'live',
          () => 'lost',
        );
        dispatch(missed);
        if (own === latest && !document.hidden) timer = setTimeout(open, reconnectMs);
        return;
      }
      follow();
      await new Promise<void>((done) => {
        free = done;
      });
    });
  }

  function follow(): void {
    source = new EventSource(`${base}/events?records=true`);
    source.onopen = () => {
      connection.value = 'live';
      // The browser reconnects with the last event id, and the sandbox then reports a gap. If no event was received
      // before, there is no id, so the sandbox cannot report the gap.
      if (isReconnect) dispatch(missed);
      isReconnect = false;
    };
    source.onerror = () => {
      connection.value = 'lost';
      isReconnect = true;
      if (source?.readyState !== EventSource.CLOSED) return;
      disconnect();
      // The page cannot read the status: this request shows the login form if the session has ended.
      if (!isLoginRequired.value) callApi('GET', '/session').catch(() => undefined);
      // A hidden page connects once it is visible.
      if (!document.hidden) timer = setTimeout(open, reconnectMs);
    };
    for (const kind of streamedKinds) {
      source.addEventListener(kind, ({ data }) => dispatch({ ...JSON.parse(data), kind }));
    }
    source.addEventListener('gap', () => dispatch(missed));
  }

  // Without a login, the sandbox sends no events, and that is no lost connection.
  let isStart = true;
  isLoginRequired.subscribe(() => {
    clearTimeout(timer);
    if (!isStart) disconnect();
    isStart = false;
    connection.value = 'connecting';
    open();
  });
  const look = (): void => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(disconnect, hiddenMs);
    else if (source === undefined) open();
  };
  document.addEventListener('visibilitychange', look);
  // A page may be opened in the background.
  if (document.hidden) look();
}

/** Follows what happens, comes back by itself, and says so when something was missed meanwhile. */
import { base } from './client.ts';
import { createStore, type Store } from './store.ts';

export type ConnectionState = 'connecting' | 'live' | 'lost';

export const connection: Store<ConnectionState> = createStore<ConnectionState>('connecting');

export interface Told {
  readonly request: (data: RequestEvent) => void;
  readonly callback: (data: CallbackEvent) => void;
  readonly change: (data: { project: string | null; what: string }) => void;
  /** An instruction was carried out after its answer: records may be others now. */
  readonly records: (data: { project: string }) => void;
  /** What is shown may be old: load it anew. */
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
  /** How many of its entries the answer refused. */
  readonly refused: number;
  readonly rules?: number;
  /** Those whose rules acted on it. */
  readonly scenarios?: readonly string[];
}

export interface CallbackEvent {
  readonly id: string;
  readonly project: string;
  readonly type: string;
  readonly state: string;
  readonly requestId: string;
  /** How many entries it tells of. */
  readonly failed: number;
  readonly dueAt: string;
  readonly attempts: number;
}

/** How long a page that nobody looks at still follows: a browser has few connections to one host, for all its pages. */
const hiddenMs = 5000;

/** How long to wait before asking again, where the browser has given up by itself. */
const againMs = 2000;

const listeners = new Set<Partial<Told>>();

/** Calls back at all that happens; gives back what ends that. */
export function listen(told: Partial<Told>): () => void {
  listeners.add(told);
  return () => listeners.delete(told);
}

function tell<Kind extends keyof Told>(kind: Kind, ...data: Parameters<Told[Kind]>): void {
  for (const told of listeners) (told[kind] as ((...all: Parameters<Told[Kind]>) => void) | undefined)?.(...data);
}

/** Begins to follow, for as long as the page is looked at. To be called once. */
export function follow(): void {
  let wasLost = false;
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function leave(): void {
    source?.close();
    source = undefined;
    wasLost = true;
  }

  function open(): void {
    source = new EventSource(`${base}/events?records=true`);
    source.onopen = () => {
      connection.set('live');
      // The browser comes back with the last event's id, and the sandbox tells a gap; one that never had any is told nothing.
      if (wasLost) tell('missed');
      wasLost = false;
    };
    source.onerror = () => {
      connection.set('lost');
      wasLost = true;
      if (source?.readyState !== EventSource.CLOSED) return;
      leave();
      timer = setTimeout(open, againMs);
    };
    source.addEventListener('request', ({ data }) => tell('request', JSON.parse(data)));
    source.addEventListener('callback', ({ data }) => tell('callback', JSON.parse(data)));
    source.addEventListener('change', ({ data }) => tell('change', JSON.parse(data)));
    source.addEventListener('records', ({ data }) => tell('records', JSON.parse(data)));
    source.addEventListener('gap', () => tell('missed'));
  }

  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(leave, hiddenMs);
    else if (source === undefined) open();
  });
  open();
}

/** Data that an element shows: loads it from the sandbox, and loads it again after events that may have changed it. */
import type { PageElement } from '../element.ts';
import { ApiError, toMessage } from './client.ts';
import { connection, listen, type SandboxEvent } from './events.ts';
import { createReloader } from './reloader.ts';

export interface ResourceOptions<Value> {
  /** Identifies the data. If it changes, the loaded value is discarded. Undefined if there is nothing to load. */
  readonly key: () => string | undefined;
  readonly load: () => Promise<Value>;
  /** Called with what was loaded, unless the user has left it meanwhile. */
  readonly onLoad?: (value: Value) => void;
  /** Whether the event may have changed the data. After missed events the data is always loaded again. */
  readonly reloadOn?: (event: SandboxEvent) => boolean;
}

export interface Resource<Value> {
  /** Undefined until the data is loaded. */
  readonly value: Value | undefined;
  /** Why the last load failed, or an empty text. Empty while the page is disconnected, which the frame shows. */
  readonly errorText: string;
  /** Whether the sandbox responded to the last load with 404. */
  readonly isMissing: boolean;
  /** Loads the data again at once. */
  readonly reload: () => void;
  /** Replaces the value, for example with the response to a change. */
  readonly set: (value: Value) => void;
}

export function createResource<Value>(
  host: PageElement,
  { key, load, onLoad = () => undefined, reloadOn = () => false }: ResourceOptions<Value>,
): Resource<Value> {
  let currentKey: string | undefined;
  let value: Value | undefined;
  let error: unknown;
  /** Number of started loads: only the result of the latest counts. */
  let loads = 0;
  let unsubscribe = (): void => undefined;

  const reloader = createReloader(async () => {
    loads += 1;
    const number = loads;
    if (currentKey === undefined) return;
    let finish = (): void => undefined;
    let failure: unknown;
    try {
      const loaded = await load();
      finish = () => {
        value = loaded;
        if (host.isConnected) onLoad(loaded);
      };
    } catch (reason) {
      failure = reason;
    }
    // A load of other data, or an earlier one, must not replace the current data.
    if (number !== loads) return;
    finish();
    error = failure;
    host.requestUpdate();
  });

  host.addController({
    hostConnected: () => {
      const stopEvents = listen((event) => {
        if (reloadOn(event) || event.kind === 'missed') reloader.soon();
      });
      const stopConnection = connection.subscribe(() => {
        if (error !== undefined) host.requestUpdate();
      });
      unsubscribe = () => {
        stopEvents();
        stopConnection();
      };
    },
    hostUpdate: () => {
      const newKey = key();
      if (newKey === currentKey) return;
      currentKey = newKey;
      value = undefined;
      error = undefined;
      reloader.now();
    },
    hostDisconnected: () => {
      unsubscribe();
      reloader.end();
    },
  });

  return {
    get value() {
      return value;
    },
    get errorText() {
      return toLoadError(error);
    },
    get isMissing() {
      return error instanceof ApiError && error.status === 404;
    },
    reload: reloader.now,
    set: (next) => {
      value = next;
      host.requestUpdate();
    },
  };
}

/** Describes why a load failed; an empty text without an error, and while the frame shows that the sandbox is away. */
function toLoadError(error: unknown): string {
  const isAway = error instanceof ApiError && error.status === 0 && connection.get() === 'lost';
  return error === undefined || isAway ? '' : toMessage(error);
}

/** Whether an event belongs to a project, or to all projects. */
export function isOf(event: SandboxEvent, project: string | undefined): boolean {
  return event.project === project || (event.kind === 'change' && event.project === null);
}

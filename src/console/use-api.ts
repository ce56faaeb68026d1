/** Data that a component shows: loads it from the sandbox, and again after events that may have changed it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, callApi, projectPath, type Schemas, toMessage } from './api.ts';
import { connection, listen, type SandboxEvent } from './events.ts';
import { createReloader, type Reloader } from './reloader.ts';
import { chosenProject, of } from './state.ts';

interface Options<Value> {
  /** Whether an event may have changed the data. After missed events the data is always loaded again. */
  readonly reloadOn?: (event: SandboxEvent, value: Value | undefined) => boolean;
  /** While this is the same, the value of another path stays visible until its own is loaded. */
  readonly kept?: string;
  /** The shortest time between two loads after events. Default: half a second. */
  readonly minMs?: number;
}

export interface Loaded<Value> {
  /** Undefined until the data is loaded. */
  readonly value: Value | undefined;
  /** Whether `value` is that of the path, and not of an earlier one. */
  readonly isCurrent: boolean;
  /** Number of loads of this path. */
  readonly loads: number;
  /** Why the last load failed, or an empty text. Empty while the page is disconnected, which the frame shows. */
  readonly errorText: string;
  /** Whether the sandbox responded to the last load with 404. */
  readonly isMissing: boolean;
  readonly reload: () => void;
}

interface State<Value> {
  readonly path?: string | undefined;
  readonly kept?: string | undefined;
  readonly value?: Value | undefined;
  readonly error?: unknown;
  readonly loads: number;
}

/** Loads `path`, and again after events. Undefined if there is nothing to load. */
export function useApi<Value>(path: string | undefined, options: Options<Value> = {}): Loaded<Value> {
  const { kept = path, minMs } = options;
  const [state, setState] = useState<State<Value>>({ loads: 0 });
  const latest = useRef({ options, value: state.value });
  const reloader = useRef<Reloader | undefined>(undefined);
  latest.current = { options, value: state.value };

  useEffect(() => {
    if (path === undefined) return;
    let started = 0;
    const own = createReloader(async () => {
      started += 1;
      const number = started;
      const result = await callApi<Value>('GET', path).then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      );
      // An earlier load, or a load of other data, must not replace the current data.
      if (number === started && reloader.current === own)
        setState((before) => toState(before, { path, kept, ...result }));
      await painted();
    }, minMs);
    reloader.current = own;
    own.now();
    const stop = listen((event) => {
      const { options: now, value } = latest.current;
      if (event.kind === 'acted') own.now();
      else if (event.kind === 'missed' || now.reloadOn?.(event, value)) own.soon();
    });
    return () => {
      stop();
      own.end();
      reloader.current = undefined;
    };
  }, [path]);

  const isCurrent = path !== undefined && state.path === path;
  const { error } = isCurrent ? state : { error: undefined };
  const isAway = error instanceof ApiError && error.status === 0 && connection.value === 'lost';
  return {
    value: isCurrent || state.kept === kept ? state.value : undefined,
    isCurrent,
    loads: isCurrent ? state.loads : 0,
    errorText: error === undefined || isAway ? '' : toMessage(error),
    isMissing: error instanceof ApiError && error.status === 404,
    reload: () => reloader.current?.now(),
  };
}

/** Waits until what is rendered now is painted. A hidden page paints nothing, so it waits until it is visible. */
function painted(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

/** Loads data of the chosen project, and again after its events. `path`: relative to the project. */
export function useProjectApi<Value>(path: string, kept?: string): Loaded<Value> {
  const project = chosenProject();
  return useApi(project && projectPath(project, path), { reloadOn: of(project), ...(kept !== undefined && { kept }) });
}

/** Returns the state after a load. After an error, the value of the same path stays. */
function toState<Value>(before: State<Value>, result: Omit<State<Value>, 'loads'>): State<Value> {
  const isSame = before.path === result.path;
  const value = result.error === undefined || !isSame ? result.value : before.value;
  return { ...result, value, loads: isSame ? before.loads + 1 : 1 };
}

/** When each clock was read, as `performance.now()` of this page. */
const readAt = new WeakMap<Schemas['Clock'], number>();

/** Returns the current time of a project in milliseconds, each second anew while its clock runs. */
export function useNow(clock: Schemas['Clock'] | undefined): number | undefined {
  const [, tick] = useState(0);
  const { now = '', rate = 0 } = clock ?? {};
  useEffect(() => {
    if (rate === 0) return;
    const timer = setInterval(() => tick((count) => count + 1), 1000);
    return () => clearInterval(timer);
  }, [rate]);
  if (!clock) return undefined;
  const readMs = readAt.get(clock) ?? performance.now();
  readAt.set(clock, readMs);
  return Date.parse(now) + rate * (performance.now() - readMs);
}

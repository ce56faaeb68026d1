/** Tracks a sandbox's callbacks by its events and, if events were lost, by listing all callbacks. */

import type { Backoff } from '../../client/backoff.ts';
import type { SentEvent } from '../../client/event-stream.ts';
import type { Answered, Control } from './control.ts';
import { createSeenAttempts, type Forwarder, type ShownCallback } from './forward.ts';
import type { Notice } from './notice.ts';

interface Parts {
  /** The only project to track; undefined for all projects. */
  readonly project: string | undefined;
  readonly control: Control;
  readonly forwarder: Forwarder;
  readonly signal: AbortSignal;
  createBackoff(): Backoff;
  notify(notice: Notice): void;
}

export interface CallbackTracker {
  /** Marks all existing attempts as seen, so that they are not forwarded. @returns the reason of a rejection */
  skipExisting(): Promise<string | undefined>;
  /** Lists all callbacks and forwards new attempts, after the events that were read before. */
  catchUp(): void;
  /** Handles an event of the stream. Await it before the next one: a server may send events without end. */
  read(event: SentEvent): Promise<void>;
}

interface CallbackData {
  readonly id: string;
  readonly project: string;
  readonly attempts: number;
}

export function createCallbackTracker({
  project: onlyProject,
  control,
  forwarder,
  createBackoff: newBackoff,
  signal,
  notify,
}: Parts): CallbackTracker {
  const seen = createSeenAttempts();
  const { get, getAll } = createReader({ control, createBackoff: newBackoff, signal });
  let queue: Promise<void> = Promise.resolve();

  function enqueue(work: () => Promise<void>): void {
    queue = queue.then(work);
  }

  /** Lists the callbacks of all existing projects, and forgets the other projects. */
  async function* listAllCallbacks(): AsyncGenerator<{ project: string; callbacks: readonly ShownCallback[] }> {
    const projects =
      onlyProject === undefined ? (await getAll<{ id: string }>('/projects')).map(({ id }) => id) : [onlyProject];
    if (!signal.aborted) seen.keepOnly(new Set(projects));
    for (const project of projects) yield { project, callbacks: await getAll(`${pathOf(project)}/callbacks`) };
  }

  async function forwardNew({ project, id, attempts }: CallbackData): Promise<void> {
    const callback = (await get<ShownCallback>(`${pathOf(project)}/callbacks/${encodeURIComponent(id)}`))?.body;
    if (signal.aborted) return;
    if (!callback) notify({ event: 'gone', project, id });
    // Later attempts have events of their own, which keep the order among callbacks.
    else for (const attempt of seen.addNew(project, callback, attempts)) forwarder.enqueue(project, callback, attempt);
  }

  /** Forwards all attempts that are not seen yet, in the order in which the sandbox made them. */
  async function forwardAll(): Promise<void> {
    for await (const { project, callbacks } of listAllCallbacks()) {
      callbacks
        .flatMap((callback) =>
          seen.addNew(project, callback, callback.attempts.length).map((numbered) => ({ callback, numbered })),
        )
        .toSorted((a, b) => Date.parse(a.numbered.attempt.at) - Date.parse(b.numbered.attempt.at))
        .forEach(({ callback, numbered }) => {
          forwarder.enqueue(project, callback, numbered);
        });
    }
  }

  /** Waits until the sandbox can be reached. @returns why it rejects the request, if it does */
  async function waitForSandbox(): Promise<string | undefined> {
    const backoff = newBackoff();
    const path = onlyProject === undefined ? '/projects' : `${pathOf(onlyProject)}/callbacks`;
    while (!signal.aborted) {
      const result = await control.get(`${path}?limit=1`);
      if (result.kind === 'answered') return undefined;
      if (result.kind === 'refused' || (result.kind === 'failed' && result.isPermanent)) return result.reason;
      if (result.kind === 'missing') return 'it has no list of callbacks: is it a field-sandbox?';
      await backoff.wait(result.reason);
    }
    return undefined;
  }

  return {
    skipExisting: async () => {
      const rejection = await waitForSandbox();
      if (rejection !== undefined) return rejection;
      for await (const { project, callbacks } of listAllCallbacks())
        for (const callback of callbacks) seen.addNew(project, callback, callback.attempts.length);
      return undefined;
    },
    catchUp: () => enqueue(forwardAll),
    read: ({ kind, text }) => {
      const data = JSON.parse(text) as Record<string, unknown>;
      if (kind === 'callback' && Number(data['attempts']) > 0)
        enqueue(() => forwardNew(data as unknown as CallbackData));
      if (kind === 'change' && data['what'] === 'reset') seen.forget(data['project'] as string | null);
      if (kind === 'gap') {
        notify({ event: 'missed', reason: String(data['reason']) });
        enqueue(forwardAll);
      }
      return queue;
    },
  };
}

/** Maximum size of a list, in characters. An endless one would fill the memory. */
const maxListSize = 256 * 1024 ** 2;

/** Creates functions that read the control API. They retry until the sandbox responds. */
function createReader({ control, createBackoff, signal }: Pick<Parts, 'control' | 'createBackoff' | 'signal'>) {
  /** Returns undefined if the path does not exist or the signal is aborted. */
  async function get<Body>(path: string): Promise<Answered<Body> | undefined> {
    const backoff = createBackoff();
    while (!signal.aborted) {
      const result = await control.get(path);
      if (result.kind === 'answered') return result as Answered<Body>;
      if (result.kind === 'missing') return undefined;
      await backoff.wait(result.reason);
    }
    return undefined;
  }

  /** Reads all pages of a list. */
  async function getAll<Item>(path: string): Promise<readonly Item[]> {
    const items: Item[] = [];
    let cursor: string | undefined = '';
    let left = maxListSize;
    while (cursor !== undefined && left > 0) {
      type Page = { readonly items: readonly Item[]; readonly next?: string };
      const page: Answered<Page> | undefined = await get<Page>(`${path}?limit=100${cursor}`);
      left -= page?.size ?? 0;
      items.push(...(page?.body.items ?? []));
      cursor = page?.body.next === undefined ? undefined : `&cursor=${encodeURIComponent(page.body.next)}`;
    }
    return items;
  }

  return { get, getAll };
}

function pathOf(project: string): string {
  return `/projects/${encodeURIComponent(project)}`;
}

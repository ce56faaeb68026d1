/** What is known of a sandbox's callbacks: kept by its events and, where those are not enough, by looking through all. */
import type { Control } from './control.ts';
import type { SentEvent } from './event-stream.ts';
import type { Forwarder } from './forward.ts';
import { createKnown, type ShownCallback } from './known.ts';
import type { Notice } from './notice.ts';
import type { Patience } from './patience.ts';

interface Parts {
  /** The only project that is looked at, if one is named. */
  readonly project: string | undefined;
  readonly control: Control;
  readonly forwarder: Forwarder;
  readonly signal: AbortSignal;
  impatient(): Patience;
  say(notice: Notice): void;
}

export interface Book {
  /** What was there before is not forwarded. @returns why the sandbox will not tell, where it says so */
  skip(): Promise<string | undefined>;
  /** Looks through all, once what was read before is done. */
  catchUp(): void;
  /** Takes an event, in the order in which they come. */
  read(event: SentEvent): void;
}

interface CallbackData {
  readonly id: string;
  readonly project: string;
  readonly attempts: number;
}

/** A book with nothing in it. */
export function createBook({ project: only, control, forwarder, impatient, signal, say }: Parts): Book {
  const known = createKnown();
  let queue: Promise<void> = Promise.resolve();

  function later(work: () => Promise<void>): void {
    queue = queue.then(work);
  }

  /** Asks until there is an answer. Undefined where there is none of that name, or it was ended. */
  async function askPatiently<Answer>(path: string): Promise<Answer | undefined> {
    const patience = impatient();
    while (!signal.aborted) {
      const asked = await control.ask(path);
      if (asked.kind === 'answered') return asked.answer as Answer;
      if (asked.kind === 'missing') return undefined;
      await patience.wait(asked.reason);
    }
    return undefined;
  }

  async function readAll<Item>(path: string): Promise<readonly Item[]> {
    const items: Item[] = [];
    let cursor: string | undefined = '';
    while (cursor !== undefined) {
      type Page = { readonly items: readonly Item[]; readonly next?: string };
      const page: Page | undefined = await askPatiently<Page>(`${path}?limit=1000${cursor}`);
      items.push(...(page?.items ?? []));
      cursor = page?.next === undefined ? undefined : `&cursor=${encodeURIComponent(page.next)}`;
    }
    return items;
  }

  /** Every callback of the projects that there are; the others are forgotten. */
  async function* lookThrough(): AsyncGenerator<{ project: string; callbacks: readonly ShownCallback[] }> {
    const projects = only === undefined ? (await readAll<{ id: string }>('/projects')).map(({ id }) => id) : [only];
    if (!signal.aborted) known.keepOnly(new Set(projects));
    for (const project of projects) yield { project, callbacks: await readAll(`${pathOf(project)}/callbacks`) };
  }

  async function forwardNew({ project, id, attempts }: CallbackData): Promise<void> {
    const callback = await askPatiently<ShownCallback>(`${pathOf(project)}/callbacks/${encodeURIComponent(id)}`);
    if (signal.aborted) return;
    if (!callback) say({ event: 'gone', project, id });
    // Of those made since there is an event too, after those of other callbacks that came between.
    else for (const one of known.take(project, callback, attempts)) forwarder.take(project, callback, one);
  }

  /** Forwards all that is not known, in the order in which it was attempted. */
  async function forwardAll(): Promise<void> {
    for await (const { project, callbacks } of lookThrough()) {
      callbacks
        .flatMap((callback) =>
          known.take(project, callback, callback.attempts.length).map((one) => ({ callback, one })),
        )
        .toSorted((a, b) => Date.parse(a.one.attempt.at) - Date.parse(b.one.attempt.at))
        .forEach(({ callback, one }) => {
          forwarder.take(project, callback, one);
        });
    }
  }

  /** Waits until the sandbox is there. */
  async function findRefusal(): Promise<string | undefined> {
    const patience = impatient();
    const path = only === undefined ? '/projects' : `${pathOf(only)}/callbacks`;
    while (!signal.aborted) {
      const asked = await control.ask(`${path}?limit=1`);
      if (asked.kind === 'answered') return undefined;
      if (asked.kind === 'refused') return asked.reason;
      if (asked.kind === 'missing') return 'it knows no callbacks: is it a field-sandbox?';
      await patience.wait(asked.reason);
    }
    return undefined;
  }

  return {
    skip: async () => {
      const refusal = await findRefusal();
      if (refusal !== undefined) return refusal;
      for await (const { project, callbacks } of lookThrough())
        for (const callback of callbacks) known.take(project, callback, callback.attempts.length);
      return undefined;
    },
    catchUp: () => later(forwardAll),
    read: ({ kind, text }) => {
      const data = JSON.parse(text) as Record<string, unknown>;
      if (kind === 'callback' && Number(data['attempts']) > 0) later(() => forwardNew(data as unknown as CallbackData));
      if (kind === 'change' && data['what'] === 'reset') known.forget(data['project'] as string | null);
      if (kind === 'gap') {
        say({ event: 'missed', reason: String(data['reason']) });
        later(forwardAll);
      }
    },
  };
}

function pathOf(project: string): string {
  return `/projects/${encodeURIComponent(project)}`;
}

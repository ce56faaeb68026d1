/** Speaks with the sandbox's control API, and with the API that it plays; knows nothing of what is shown. */
import type { Schemas } from './schemas.ts';
import { createStore, type Store } from './store.ts';

export type { Schemas };

/** A refusal of the sandbox, or that it could not be reached (`status` 0). */
export class Refusal extends Error {
  readonly status: number;
  readonly errors: readonly Schemas['Violation'][];

  constructor(status: number, message: string, errors: readonly Schemas['Violation'][] = []) {
    super(message);
    this.status = status;
    this.errors = errors;
  }
}

/** Whether the sandbox wants the admin token before it tells anything. */
export const locked: Store<boolean> = createStore(false);

/** The base of the control API, also where the sandbox stands behind a path. */
export const base: string = new URL('.', location.href).pathname.replace(/\/$/, '');

/** Asks the control API; throws a `Refusal`. `path` begins after `/_sandbox`. */
export async function ask<Answer>(method: string, path: string, body?: unknown, type?: string): Promise<Answer> {
  const sent = body === undefined ? undefined : type === undefined ? JSON.stringify(body) : String(body);
  const headers: Record<string, string> = sent === undefined ? {} : { 'content-type': type ?? 'application/json' };
  let response: Response;
  try {
    response = await fetch(base + path, { method, headers, ...(sent !== undefined && { body: sent }) });
  } catch {
    throw new Refusal(0, 'the sandbox does not answer');
  }
  const text = await response.text();
  const value = text === '' ? undefined : JSON.parse(text);
  if (response.ok) return value as Answer;
  if (response.status === 401) locked.set(true);
  throw new Refusal(response.status, value?.message ?? response.statusText, value?.errors);
}

/** All items of a list, page by page. */
export async function askAll<Item>(path: string, most = 10_000): Promise<readonly Item[]> {
  const items: Item[] = [];
  let cursor = '';
  do {
    const joint = path.includes('?') ? '&' : '?';
    const page = await ask<{ items: Item[]; next?: string }>('GET', `${path}${joint}limit=1000${cursor}`);
    items.push(...page.items);
    cursor = page.next === undefined ? '' : `&cursor=${encodeURIComponent(page.next)}`;
  } while (cursor !== '' && items.length < most);
  return items;
}

/** The path of something of a project. */
export function ofProject(project: string, rest = ''): string {
  return `/projects/${encodeURIComponent(project)}${rest}`;
}

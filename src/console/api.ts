/** Client of the sandbox's control API. */
import { type Signal, signal } from '@preact/signals';
import type { components } from '../openapi/control.gen.ts';
import { readJson } from './format.ts';

export type Schemas = components['schemas'];

/** Whether the user must log in, with the admin token or an API key, before the sandbox sends any data. */
export const isLoginRequired: Signal<boolean> = signal(false);

/** Thrown if the sandbox rejects a request, or if it cannot be reached (`status` 0). */
export class ApiError extends Error {
  readonly status: number;
  readonly errors: readonly Schemas['Violation'][];

  constructor(status: number, message: string, errors: readonly Schemas['Violation'][] = []) {
    super(message);
    this.status = status;
    this.errors = errors;
  }
}

/** Describes an error for the user. */
export function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Path of the control API, without a trailing slash. It includes the path prefix of a reverse proxy, if there is one.
 */
export const base: string = new URL('.', location.href).pathname.replace(/\/$/, '');

/** URL of the API, with the origin under which this page was loaded. */
export const apiUrl: string = location.origin + base.replace(/\/_sandbox$/, '');

/** An id that is a step of the path: the browser would request other data. */
const dots = /\/\.{1,2}(?=[/?]|$)/;

/**
 * Sends a request to the control API. `path` is relative to `/_sandbox`.
 *
 * @throws {ApiError} if the sandbox rejects the request or cannot be reached.
 */
export async function callApi<Body>(method: string, path: string, body?: unknown, type?: string): Promise<Body> {
  if (dots.test(path)) throw new ApiError(404, 'browsers cannot send "." or ".." as an id: use curl with --path-as-is');
  const payload = body === undefined ? undefined : type === undefined ? JSON.stringify(body) : String(body);
  const headers: Record<string, string> = payload === undefined ? {} : { 'content-type': type ?? 'application/json' };
  let response: Response;
  let text: string;
  try {
    response = await fetch(base + path, { method, headers, ...(payload !== undefined && { body: payload }) });
    text = await response.text();
  } catch {
    throw new ApiError(0, 'no response from the sandbox: check that it is running');
  }
  if (response.status === 401) isLoginRequired.value = true;
  if (response.ok && response.headers.get('content-type')?.startsWith('application/yaml')) return text as Body;
  const { ok, status, statusText } = response;
  const value = readJson(text) as Partial<Schemas['Problem']> | null | undefined;
  if (ok && (text === '' || value !== undefined)) return value as Body;
  // A proxy in front of the sandbox may respond with a page of its own, or with none.
  const message = value?.message ?? `the response is not from the sandbox: ${status} ${statusText}`;
  throw new ApiError(status, message, value?.errors);
}

/** Loads the items of a list page by page, until at least `max` items are loaded. */
export async function listAll<Item>(path: string, max = 10_000): Promise<readonly Item[]> {
  const items: Item[] = [];
  let cursor = '';
  do {
    const separator = path.includes('?') ? '&' : '?';
    const page = await callApi<{ items: Item[]; next?: string }>('GET', `${path}${separator}limit=1000${cursor}`);
    items.push(...page.items);
    cursor = page.next === undefined ? '' : `&cursor=${encodeURIComponent(page.next)}`;
  } while (cursor !== '' && items.length < max);
  return items;
}

/** Returns the control API path of a project's resource; without a project, of all projects. */
export function projectPath(project: string, rest = ''): string {
  if (project === '') return rest;
  // Dots would be steps of the path and lead to other data, such as that of all projects.
  const name = /^\.{1,2}$/.test(project) ? project.replaceAll('.', '%252E') : encodeURIComponent(project);
  return `/projects/${name}${rest}`;
}

/** What the steps of a transcript share: the sandbox, its receiver, and the names of what changes from run to run. */
import type { EventReader } from '../../harness/event-reader.ts';
import type { Received, Receiver } from '../../harness/receiver.ts';
import type { TestSandbox } from '../../harness/sandbox.ts';
import type { TestWall } from '../../harness/wall.ts';
import type { Section, Step } from './parse.ts';

export type Request = Extract<Step, { kind: 'request' }>;

/** What the steps of a part use. */
export interface Stage {
  readonly sandbox: TestSandbox;
  readonly wall: TestWall;
  readonly receiver: Receiver;
  readonly options: Section['options'];
  /** Ids of the requests to the API so far. */
  readonly ids: string[];
  /** Created keys, each with its id. */
  readonly keys: { readonly id: string; readonly key: string }[];
  /** Results of the requests that have begun, in their order. */
  readonly begun: Promise<readonly string[]>[];
  /** Attempts that the listener got. */
  readonly heard: Pick<Received, 'path' | 'headers' | 'body'>[];
  /** Each lets the receiver give an answer that it holds back. */
  readonly held: (() => void)[];
  /** Ids of the attempts that a stream has had. */
  readonly attempts: string[];
  /** Text of the last response. */
  last?: string;
  /** Events of the stream that has begun last. */
  events?: EventReader;
}

/** Returns what the control API has at a path. */
// biome-ignore lint/suspicious/noExplicitAny: responses of all kinds
export async function control({ sandbox, options }: Pick<Stage, 'sandbox' | 'options'>, path: string): Promise<any> {
  const headers = { authorization: `Bearer ${options['adminToken']}` };
  return (await sandbox.control('GET', path, undefined, headers)).body;
}

/** Puts what changes from run to run, the value and the number of the request in the place of their names. */
export async function fill(
  { sandbox, receiver, ids, keys, attempts, last = '' }: Stage,
  { path, headers, body, each: [value = ''] }: Pick<Request, 'path' | 'headers' | 'body' | 'each'>,
  n: number,
): Promise<Pick<Request, 'path' | 'headers' | 'body'>> {
  const callbacks = path.includes('{callback-') ? await sandbox.items('p', 'callbacks') : [];
  const known: Readonly<Record<string, readonly unknown[]>> = {
    request: ids,
    attempt: attempts,
    callback: callbacks.map(({ id }) => id),
    key: keys.map(({ key }) => key),
    'key-id': keys.map(({ id }) => id),
  };
  const toText = (text: string, each = value): string =>
    text
      .replaceAll('{receiver}', receiver.url())
      .replaceAll('{sandbox}', sandbox.url())
      .replaceAll('{n}', String(n))
      .replaceAll('{each}', each)
      .replaceAll('{last}', () => JSON.stringify(last).slice(1, -1))
      .replace(/\{([a-z-]+)-(\d+)\}/g, (_all, kind: string, number: string) =>
        String(known[kind]?.[Number(number) - 1]),
      );
  const values = Object.entries(headers).map(([name, text]) => [name, text && toText(text)]);
  const text = JSON.stringify(body);
  const filled = text && JSON.parse(toText(text, JSON.stringify(value).slice(1, -1)));
  return { path: toText(path), headers: Object.fromEntries(values), body: filled };
}

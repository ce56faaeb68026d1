/**
 * Holds the API keys of the options and those that were created at run time. Stores hashes only; a key is never stored,
 * shown or logged.
 */
import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { Problem } from '../lib/problem.ts';
import { parseTimestamp, toTimestamp, type WallClock } from '../lib/time.ts';
import { type ApiKey, checkProject, toKeyProblem } from './api-key.ts';
import { type KeyEntry, toDigest, toEntry, toOptionEntries, toParsed } from './key-entry.ts';
import { createKeyStore, type KeyStore, type NewKey, type StoredKey } from './key-store.ts';
import { explainMissing, explainUnknown, whichKeys } from './misplaced-key.ts';

type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The valid keys. */
export interface Keys {
  /**
   * Returns the key of a request for this project, or why it is rejected. `host` is the host of the request. Without a
   * project, any project of the key will do. `url`: where a missing key is looked for, too.
   */
  check(headers: RequestHeaders, host: string, project: string | undefined, url?: string): ApiKey | Problem;
  /** Returns the key in the header `apikey`, or why it is rejected. `url`: that of a request to the API. */
  find(headers: RequestHeaders, url?: string): ApiKey | Problem;
  /** Whether a text is a known key, also if it has expired. Recordings omit keys. */
  isKey(text: string): boolean;
  /** Returns a key by its id, unless it has expired. */
  findById(id: string): ApiKey | undefined;
}

export interface KeyRing extends Keys {
  /** Creates a key. Only the result has its text. @throws if it cannot be stored */
  create(key: NewKey): Promise<StoredKey & { readonly key: string }>;
  /** Returns the keys that were created at run time, oldest first. */
  list(): readonly StoredKey[];
  /** Deletes a key that was created at run time. Resolves once it is valid nowhere. @throws if that cannot be stored */
  remove(id: string): Promise<void>;
  /** Calls the listener once the key is deleted or expires, never at once. Returns a function that unsubscribes. */
  onEnd(id: string, listener: () => void): () => void;
  /** Stores when keys were used last. */
  close(): Promise<void>;
}

/** Time after the first use of a key until the last uses are stored, in milliseconds, so that no request waits for it. */
const usesDelayMs = 60_000;

interface Parts {
  /** The keys of `--api-key`: `KEY[@REGION][=PROJECT,…]`. */
  readonly texts: readonly string[];
  readonly wall: WallClock;
  readonly store?: KeyStore;
  /** The keys that the store has loaded. */
  readonly stored?: readonly StoredKey[];
}

/** Creates the keys. @throws {Error} if a text is invalid */
export function createKeyRing({ texts, wall, store = createKeyStore(), stored = [] }: Parts): KeyRing {
  const ofOptions = toOptionEntries(texts);
  // A hash takes longer than all other checks of a header.
  const lengths = new Set(texts.map((text) => toParsed(text).key.length).concat(createdLength));
  const events = new EventEmitter<{ change: [] }>().setMaxListeners(0);
  let created: readonly StoredKey[] = [];
  let byDigest: ReadonlyMap<string, KeyEntry> = ofOptions;
  let byId: ReadonlyMap<string, KeyEntry> = new Map();
  let cancelUses: (() => void) | undefined;
  let storing = Promise.resolve();
  accept(stored);
  store.onChange(accept);

  /** Replaces the keys that were created at run time. */
  function accept(list: readonly StoredKey[]): void {
    const entries = list.map((one) => [one.digest, toEntry(one, byId.get(one.id)?.lastUsedMs)] as const);
    created = list;
    byDigest = new Map([...entries, ...ofOptions]);
    byId = new Map([...byDigest.values()].map((entry) => [entry.id, entry]));
    events.emit('change');
  }

  function isExpired({ expiresAtMs }: KeyEntry): boolean {
    return expiresAtMs !== undefined && wall.now() >= expiresAtMs;
  }

  const isKey = (text: string): boolean => lengths.has(text.length) && byDigest.has(toDigest(text));

  function find(headers: RequestHeaders, url?: string): KeyEntry | Problem {
    const given = headers['apikey'];
    if (typeof given !== 'string' || given === '') return explainMissing(headers, url ?? '', isKey);
    const entry = byDigest.get(toDigest(given));
    if (!entry) return explainUnknown(given, isKey, url === undefined ? '' : whichKeys);
    if (entry.isCreated) {
      if (isExpired(entry))
        return toKeyProblem('unknownKey', `this API key expired at ${toTimestamp(entry.expiresAtMs ?? 0)}`);
      use(entry);
    }
    return entry;
  }

  function use(entry: KeyEntry): void {
    entry.lastUsedMs = wall.now();
    cancelUses ??= wall.after(usesDelayMs, () => {
      storing = storeUses();
    });
  }

  function withUse(key: StoredKey): StoredKey {
    const usedMs = Math.max(byId.get(key.id)?.lastUsedMs ?? 0, parseTimestamp(key.lastUsedAt ?? '') ?? 0);
    return usedMs === 0 ? key : { ...key, lastUsedAt: toTimestamp(usedMs) };
  }

  /** Stores the last uses. A failure does no harm: the next change stores them too. */
  async function storeUses(): Promise<void> {
    cancelUses?.();
    cancelUses = undefined;
    await store.update((keys) => keys.map(withUse)).then(accept, () => undefined);
  }

  function onEnd(id: string, listener: () => void): () => void {
    let cancelTimer: (() => void) | undefined;
    const stop = (): void => {
      cancelTimer?.();
      events.off('change', check);
    };
    /** Ends, or waits for the expiry. A timer may end early: timers have a maximum of some weeks. */
    function check(): void {
      cancelTimer?.();
      const key = findById(id);
      if (!key) {
        stop();
        listener();
      } else if (key.expiresAtMs !== undefined) cancelTimer = wall.after(key.expiresAtMs - wall.now(), check);
    }
    if (findById(id)) {
      events.on('change', check);
      check();
    } else queueMicrotask(listener);
    return stop;
  }

  function findById(id: string): KeyEntry | undefined {
    const entry = byId.get(id);
    return entry && !isExpired(entry) ? entry : undefined;
  }

  return {
    find,
    check: (headers, host, project, url) => {
      const found = find(headers, url);
      return 'kind' in found ? found : (checkProject(found, host, project) ?? found);
    },
    isKey,
    findById,
    list: () => created.map(withUse),
    create: async (given) => {
      const key = `${createdPrefix}${randomBytes(createdBytes).toString('base64url')}`;
      const id = `key_${randomBytes(idBytes).toString('hex')}`;
      const added = { id, digest: toDigest(key), ...given, createdAt: toTimestamp(wall.now()) };
      accept(await store.update((keys) => [...keys.map(withUse), added]));
      return { ...added, key };
    },
    remove: async (id) => {
      accept(await store.update((keys) => keys.filter((one) => one.id !== id).map(withUse)));
    },
    onEnd,
    close: async () => {
      await (cancelUses ? storeUses() : storing);
    },
  };
}

const createdPrefix = 'fsk_';
/** Size of a created key and of its id in bytes. */
const createdBytes = 32;
const idBytes = 8;
const createdLength = createdPrefix.length + Math.ceil((createdBytes * 4) / 3);

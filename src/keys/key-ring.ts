/**
 * Holds the API keys of the options and those that were created at run time. Stores hashes only; a key is never stored,
 * shown or logged.
 */
import { hash, randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { parseKey } from '../config/keys.ts';
import type { Problem } from '../lib/problem.ts';
import { parseTimestamp, toTimestamp, type WallClock } from '../lib/time.ts';
import { parseSize } from '../openapi/profile/profile.ts';
import { type ApiKey, type Grant, isGlob, toKeyProblem } from './api-key.ts';
import { createKeyStore, type KeyStore, type NewKey, type StoredKey } from './key-store.ts';
import { explainMissing, explainUnknown, whichKeys } from './misplaced-key.ts';

type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Time after the first use of a key until the last uses are stored, in milliseconds, so that no request waits for it. */
const usesDelayMs = 60_000;

/** A key with the time of its last use, in milliseconds. */
interface KeyEntry extends ApiKey {
  lastUsedMs: number | undefined;
  /** Whether it was created at run time. */
  readonly isCreated: boolean;
}

interface Parts {
  /** The keys of `--api-key`: `KEY[@REGION][=PROJECT,…]`. */
  readonly texts: readonly string[];
  readonly wall: WallClock;
  readonly store?: KeyStore;
}

export class KeyRing {
  readonly #wall: WallClock;
  readonly #store: KeyStore;
  readonly #ofOptions: ReadonlyMap<string, KeyEntry>;
  readonly #lengths: ReadonlySet<number>;
  readonly #events = new EventEmitter<{ change: [] }>().setMaxListeners(0);
  #created: readonly StoredKey[] = [];
  #byDigest: ReadonlyMap<string, KeyEntry> = new Map();
  #byId: ReadonlyMap<string, KeyEntry> = new Map();
  #cancelUses: (() => void) | undefined;
  #storing = Promise.resolve();

  /** @throws {Error} if a text is invalid */
  constructor({ texts, wall, store = createKeyStore() }: Parts) {
    this.#wall = wall;
    this.#store = store;
    this.#ofOptions = toOptionEntries(texts);
    // A hash takes longer than all other checks of a header.
    this.#lengths = new Set(texts.map((text) => parseKey(text).key.length).concat(createdLength));
    this.#accept([]);
    store.use((list) => this.#accept(list));
  }

  /** Returns the key in the header `apikey`, or why it is rejected. `url`: that of a request to the API. */
  find(headers: RequestHeaders, url?: string): ApiKey | Problem {
    const given = headers['apikey'];
    if (typeof given !== 'string' || given === '') return explainMissing(headers, url ?? '', this.isKey);
    const entry = this.#byDigest.get(toDigest(given));
    if (!entry) return explainUnknown(given, this.isKey, url === undefined ? '' : whichKeys);
    if (!entry.isCreated) return entry;
    if (this.#isExpired(entry))
      return toKeyProblem('unknownKey', `this API key expired at ${toTimestamp(entry.expiresAtMs ?? 0)}`);
    return this.#noteUse(entry);
  }

  /** Whether a text is a known key, also if it has expired. Recordings omit keys. */
  readonly isKey = (text: string): boolean => this.#lengths.has(text.length) && this.#byDigest.has(toDigest(text));

  /** Returns the key of a session that sends a request, unless it has expired. */
  use(id: string): ApiKey | undefined {
    const entry = this.findById(id);
    return entry?.isCreated ? this.#noteUse(entry) : entry;
  }

  /** Returns a key by its id, unless it has expired. */
  findById(id: string): KeyEntry | undefined {
    const entry = this.#byId.get(id);
    return entry && !this.#isExpired(entry) ? entry : undefined;
  }

  /** Returns the keys that were created at run time, oldest first. */
  readonly list = (): readonly StoredKey[] => this.#created.map(this.#complete);

  /** Creates a key. Only the result has its text. @throws if it cannot be stored */
  async create(given: NewKey): Promise<StoredKey & { readonly key: string }> {
    const key = `${createdPrefix}${randomBytes(createdBytes).toString('base64url')}`;
    const id = `key_${randomBytes(idBytes).toString('hex')}`;
    const added = { id, digest: toDigest(key), ...given, createdAt: toTimestamp(this.#wall.now()) };
    await this.#update((keys) => [...keys, { ...added, number: (keys.at(-1)?.number ?? -1) + 1 }]);
    return { ...added, key };
  }

  /** Deletes a key that was created at run time. Resolves once it is valid nowhere. @throws if that cannot be stored */
  remove(id: string): Promise<void> {
    return this.#update((keys) => keys.filter((one) => one.id !== id));
  }

  /** Calls the listener once the key is deleted or expires, never at once. Returns a function that unsubscribes. */
  onEnd(id: string, listener: () => void): () => void {
    let cancelTimer: (() => void) | undefined;
    const stop = (): void => {
      cancelTimer?.();
      this.#events.off('change', check);
    };
    // Ends, or waits for the expiry. A timer may end early: timers have a maximum of some weeks.
    const check = (): void => {
      cancelTimer?.();
      const key = this.findById(id);
      if (!key) {
        stop();
        listener();
      } else if (key.expiresAtMs !== undefined)
        cancelTimer = this.#wall.after(key.expiresAtMs - this.#wall.now(), check);
    };
    if (this.findById(id)) {
      this.#events.on('change', check);
      check();
    } else queueMicrotask(listener);
    return stop;
  }

  /** Stores when keys were used last. */
  async close(): Promise<void> {
    await (this.#cancelUses ? this.#storeUses() : this.#storing);
  }

  /** Replaces the keys that were created at run time. */
  #accept(list: readonly StoredKey[]): void {
    const entries = list.map((one) => [one.digest, toEntry(one, this.#byId.get(one.id)?.lastUsedMs)] as const);
    this.#created = list;
    this.#byDigest = new Map([...entries, ...this.#ofOptions]);
    this.#byId = new Map([...this.#byDigest.values()].map((entry) => [entry.id, entry]));
    this.#events.emit('change');
  }

  #noteUse(entry: KeyEntry): KeyEntry {
    entry.lastUsedMs = this.#wall.now();
    this.#cancelUses ??= this.#wall.after(usesDelayMs, () => {
      this.#storing = this.#storeUses();
    });
    return entry;
  }

  #isExpired({ expiresAtMs }: KeyEntry): boolean {
    return expiresAtMs !== undefined && this.#wall.now() >= expiresAtMs;
  }

  /** Adds its number and last use to a stored key. */
  readonly #complete = (stored: StoredKey, index: number): StoredKey => {
    const key = { number: index, ...stored };
    const usedMs = Math.max(this.#byId.get(key.id)?.lastUsedMs ?? 0, parseTimestamp(key.lastUsedAt ?? '') ?? 0);
    return usedMs === 0 ? key : { ...key, lastUsedAt: toTimestamp(usedMs) };
  };

  /** Changes the stored list, and stores the last uses with it. */
  async #update(change: (keys: readonly StoredKey[]) => readonly StoredKey[]): Promise<void> {
    this.#accept(await this.#store.update((keys) => change(keys.map(this.#complete))));
  }

  /** A failure does no harm: the next change stores the last uses too. */
  async #storeUses(): Promise<void> {
    this.#cancelUses?.();
    this.#cancelUses = undefined;
    await this.#update((keys) => keys).catch(() => undefined);
  }
}

const createdPrefix = 'fsk_';
/** Size of a created key and of its id in bytes. */
const createdBytes = 32;
const idBytes = 8;
const createdLength = createdPrefix.length + Math.ceil((createdBytes * 4) / 3);

function toEntry(key: StoredKey, usedMs: number | undefined): KeyEntry {
  const grant = toGrant(key);
  const { limits } = key;
  return {
    id: key.id,
    grants: [grant],
    limits: limits && { ...limits, bytes: limits.bytes === undefined ? undefined : parseSize(limits.bytes) },
    expiresAtMs: key.expiresAt === undefined ? undefined : parseTimestamp(key.expiresAt),
    hasGlob: hasGlob(grant),
    lastUsedMs: usedMs ?? parseTimestamp(key.lastUsedAt ?? ''),
    isCreated: true,
  };
}

/** `*` is every project. */
function toGrant({ region, projects }: Omit<ReturnType<typeof parseKey>, 'key'>): Grant {
  return { region, projects: projects?.includes('*') ? undefined : projects };
}

function hasGlob({ projects = [] }: Grant): boolean {
  return projects.some(isGlob);
}

/** Returns the keys of the options by their digests. A key that is given several times has all its grants. */
function toOptionEntries(texts: readonly string[]): ReadonlyMap<string, KeyEntry> {
  const entries = new Map<string, KeyEntry>();
  for (const { key, ...given } of texts.map(parseKey)) {
    const digest = toDigest(key);
    const grants = [...(entries.get(digest)?.grants ?? []), toGrant(given)];
    // Cookies of browsers contain the id.
    const id = `option_${hash('sha256', digest, 'hex')}`;
    entries.set(digest, {
      ...{ id, grants, limits: undefined, expiresAtMs: undefined },
      ...{ hasGlob: grants.some(hasGlob), lastUsedMs: undefined, isCreated: false },
    });
  }
  return entries;
}

function toDigest(key: string): string {
  return hash('sha256', key, 'base64');
}

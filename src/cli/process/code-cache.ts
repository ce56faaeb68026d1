/** Loads the built pieces with V8's compiled code from an earlier process, which saves a third of the start time. */
import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import v8 from 'node:v8';
import vm from 'node:vm';

/** Loads pieces by name, such as `./server-1a2b3c.js`, each once. */
export interface CodeCache {
  load(name: string): unknown;
  /** Saves newly compiled code. If that fails, the next process compiles it again. */
  keep(): void;
}

const digestLength = 20;

/**
 * Creates a code cache for a folder of pieces. It saves the compiled code in that folder, because a user who can change
 * one can change the other. The name of a piece contains a hash of its content, so outdated code is never used.
 * `Module.enableCompileCache` is not used: Node 20 lacks it, and it would affect all modules of the test kit's user.
 */
export function createCodeCache(folder: string): CodeCache {
  const ownName = './code-cache.js';
  const nodeRequire = createRequire(path.join(folder, ownName));
  const requirePiece = (id: string): unknown => (id.startsWith('./') && id !== ownName ? load(id) : nodeRequire(id));
  const cacheFolder = path.join(folder, 'compiled', String(v8.cachedDataVersionTag()));
  const loaded = new Map<string, { exports: unknown }>();
  const unsaved = new Map<string, vm.Script>();

  function load(name: string): unknown {
    const previous = loaded.get(name);
    if (previous) return previous.exports;
    const filename = path.join(folder, name);
    const cachedData = readCached(path.join(cacheFolder, name));
    // The build emits only ASCII.
    const source = Module.wrap(readFileSync(filename, 'latin1'));
    const script = new vm.Script(source, { filename, ...(cachedData && { cachedData }) });
    if (!cachedData || script.cachedDataRejected) unsaved.set(name, script);
    const piece = { exports: {} as unknown };
    loaded.set(name, piece);
    try {
      script.runInThisContext()(piece.exports, requirePiece, piece, filename, folder);
    } catch (error) {
      // The piece has run in part. The next load runs it again: the cause may pass, such as a lack of file descriptors.
      loaded.delete(name);
      throw error;
    }
    return piece.exports;
  }

  return {
    load,
    keep() {
      try {
        if (unsaved.size > 0) mkdirSync(cacheFolder, { recursive: true });
        for (const [name, script] of unsaved) writeCached(path.join(cacheFolder, name), script.createCachedData());
      } catch {
        // The folder is not writable. The next process compiles the code again.
      }
      unsaved.clear();
    },
  };
}

/** Reads compiled code and verifies its digest, because V8 does not check it and crashes on a wrong byte. */
function readCached(file: string): Buffer | undefined {
  try {
    const bytes = readFileSync(file);
    const data = bytes.subarray(digestLength);
    return toDigest(data).equals(bytes.subarray(0, digestLength)) ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Writes a temporary file and renames it, because other processes may read the target at the same time. */
function writeCached(file: string, data: Buffer): void {
  const temporary = `${file}.${process.pid}`;
  try {
    writeFileSync(temporary, Buffer.concat([toDigest(data), data]));
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function toDigest(data: Buffer): Buffer {
  return hash('sha1', data, 'buffer');
}

/** Code cache of this module's folder. Only built pieces use it; Node loads the sources without it. */
export const codeCache: CodeCache = createCodeCache(path.dirname(fileURLToPath(import.meta.url)));

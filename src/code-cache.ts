/** Loads the built pieces with what V8 compiled of them in an earlier process, which saves a third of a start. */
import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import v8 from 'node:v8';
import vm from 'node:vm';

/** Pieces that are loaded by their names, such as `./server-1a2b3c.js`, each once. */
export interface CodeCache {
  load(name: string): unknown;
  /** Keeps what was compiled and is not kept yet. What can't be written is compiled again by the next process. */
  keep(): void;
}

const digestLength = 20;

/**
 * Code that was compiled is kept beside the pieces: whoever could change the one could change the other. A piece has a hash of
 * its content in its name, so old code never stands for new. `Module.enableCompileCache`, which Node 20 lacks, would hold
 * for all that the process of a kit's user loads.
 */
export function createCodeCache(folder: string): CodeCache {
  const ownName = './code-cache.js';
  const requireByNode = createRequire(path.join(folder, ownName));
  const need = (id: string): unknown => (id.startsWith('./') && id !== ownName ? load(id) : requireByNode(id));
  const kept = path.join(folder, 'compiled', String(v8.cachedDataVersionTag()));
  const loaded = new Map<string, { exports: unknown }>();
  const unkept = new Map<string, vm.Script>();

  function load(name: string): unknown {
    const known = loaded.get(name);
    if (known) return known.exports;
    const filename = path.join(folder, name);
    const cachedData = readKept(path.join(kept, name));
    // The build leaves nothing but ASCII in it.
    const source = Module.wrap(readFileSync(filename, 'latin1'));
    const script = new vm.Script(source, { filename, ...(cachedData && { cachedData }) });
    if (!cachedData || script.cachedDataRejected) unkept.set(name, script);
    const piece = { exports: {} as unknown };
    loaded.set(name, piece);
    script.runInThisContext()(piece.exports, need, piece, filename, folder);
    return piece.exports;
  }

  return {
    load,
    keep() {
      try {
        if (unkept.size > 0) mkdirSync(kept, { recursive: true });
        for (const [name, script] of unkept) writeKept(path.join(kept, name), script.createCachedData());
      } catch {
        // A folder that nobody may write to is as good as one without anything.
      }
      unkept.clear();
    },
  };
}

/** V8 itself trusts what it is given, and breaks over a byte that is wrong. */
function readKept(file: string): Buffer | undefined {
  try {
    const bytes = readFileSync(file);
    const data = bytes.subarray(digestLength);
    return toDigest(data).equals(bytes.subarray(0, digestLength)) ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Put in its place by a rename, since other processes may be reading it. */
function writeKept(file: string, data: Buffer): void {
  const fresh = `${file}.${process.pid}`;
  try {
    writeFileSync(fresh, Buffer.concat([toDigest(data), data]));
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

function toDigest(data: Buffer): Buffer {
  return hash('sha1', data, 'buffer');
}

/** Of the folder in which this stands. From the sources nothing is loaded by it. */
export const codeCache: CodeCache = createCodeCache(path.dirname(fileURLToPath(import.meta.url)));

/** Makes one operation on the files of a folder fail, in this thread: the disk is full, or broken for a moment. */
import fs from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';

/** `short`: half of the data is written, then the disk is full. */
type Fault = 'EIO' | 'ENOSPC' | 'short';

/** A call of a function of `node:fs`, or of a file handle. */
interface FileCall {
  readonly name: string;
  readonly file: string;
}

/** One failure of one call, which is the call `at` of an action. */
export interface FileFault extends FileCall {
  readonly at: number;
  readonly fault: Fault;
}

export interface FileFaults {
  /** Runs an action, and lists the faults that it can have. */
  list<Result>(action: () => Promise<Result>): Promise<{ readonly result: Result; readonly faults: FileFault[] }>;
  /** Runs an action with a fault. */
  play<Result>(fault: FileFault, action: () => Promise<Result>): Promise<Result>;
}

// biome-ignore lint/suspicious/noExplicitAny: functions of all kinds are replaced by name
type AnyFunction = (...args: any[]) => any;

/** Turns of the event loop without a running call after which no further one is expected. */
const quietTurns = 10;

const reads = /^(access|exists|l?stat|read|readFile|readdir|readlink|realpath)(Sync)?$/;
const writes = /^(append|write)(File)?(Sync)?$/;
/** They have an effect also if they fail: a file is closed, and the data may have arrived. */
const late = /^(close|f?datasync|f?sync)(Sync)?$/;
const handleMethods = ['close', 'datasync', 'read', 'readFile', 'stat', 'sync', 'truncate', 'write', 'writeFile'];

function toFaults(name: string): readonly Fault[] {
  if (writes.test(name)) return ['short', 'EIO'];
  return reads.test(name) ? ['EIO'] : ['ENOSPC', 'EIO'];
}

/** Calls a function as far as a call with this fault gets. Returns the error, or a promise of it. */
function callWith(fault: Fault, name: string, call: AnyFunction, args: unknown[], dataAt: number): unknown {
  const code = fault === 'short' ? 'ENOSPC' : fault;
  const error = Object.assign(new Error(`${code}: ${name} fails in this test`), { code });
  if (fault !== 'short' && !late.test(name)) return error;
  const data = args[dataAt] as string | Buffer;
  const done: unknown = call(...(fault === 'short' ? args.with(dataAt, data.slice(0, data.length / 2)) : args));
  return done instanceof Promise ? done.then(() => error) : error;
}

/** Watches the files in a folder while this file's tests run. */
export function useFileFaults(folder: string): FileFaults {
  let calls: FileCall[] | undefined;
  let planned: FileFault | undefined;
  /** Number of calls that have not returned. */
  let running = 0;
  const descriptors = new Map<number, string>();
  const restore: (() => void)[] = [];

  /** Notes a call of an action, if it is about a file of the folder. Returns its fault, if it has one. */
  function note(name: string, first: unknown): { readonly file?: string; readonly fault?: Fault | undefined } {
    const file = typeof first === 'number' ? descriptors.get(first) : first;
    if (!calls || typeof file !== 'string' || !file.startsWith(folder)) return {};
    calls.push({ name, file });
    if (calls.length - 1 !== planned?.at) return { file };
    if (planned.name !== name) throw new Error(`expected a call of ${planned.name}, got ${name} ${file}`);
    return { file, fault: planned.fault };
  }

  /** Replaces a function whose first argument is a path, or a method of the handle of a file. */
  function createAsync(name: string, call: AnyFunction, handleOf?: string): AnyFunction {
    return async (...args) => {
      const { file, fault } = note(name, handleOf ?? args[0]);
      running += 1;
      try {
        if (fault) throw await callWith(fault, name, call, args, handleOf === undefined ? 1 : 0);
        const result: unknown = await call(...args);
        if (name === 'open' && file !== undefined) watchHandle(result as FileHandle, file);
        return result;
      } finally {
        running -= 1;
      }
    };
  }

  function createSync(name: string, call: AnyFunction): AnyFunction {
    return (...args) => {
      const { file, fault } = note(name, args[0]);
      if (file === undefined) return call(...args);
      if (fault && name === 'existsSync') return false;
      if (fault) throw callWith(fault, name, call, args, 1);
      const result = callQuietly(call, args);
      noteDescriptor(name, file, name === 'openSync' ? result : args[0]);
      return result;
    };
  }

  function noteDescriptor(name: string, file: string, descriptor: unknown): void {
    if (name === 'openSync') descriptors.set(descriptor as number, file);
    if (name === 'closeSync') descriptors.delete(descriptor as number);
  }

  /** Calls a function that may call others, which count as a part of it. */
  function callQuietly(call: AnyFunction, args: unknown[]): unknown {
    const noted = calls;
    calls = undefined;
    try {
      return call(...args);
    } finally {
      calls = noted;
    }
  }

  function watchHandle(handle: FileHandle, file: string): void {
    const methods = handle as unknown as Record<string, AnyFunction>;
    for (const name of handleMethods)
      methods[name] = createAsync(name, methods[name]?.bind(handle) as AnyFunction, file);
  }

  function replaceAll(owner: object, create: (name: string, call: AnyFunction) => AnyFunction | undefined): void {
    const functions = owner as Record<string, AnyFunction>;
    for (const [name, original] of Object.entries(functions)) {
      const replaced = typeof original === 'function' ? create(name, original) : undefined;
      if (!replaced) continue;
      functions[name] = replaced;
      restore.push(() => {
        functions[name] = original;
      });
    }
  }

  beforeAll(() => {
    replaceAll(fs, (name, call) => (name.endsWith('Sync') ? createSync(name, call) : undefined));
    replaceAll(fs.promises, createAsync);
    syncBuiltinESMExports();
  });
  afterAll(() => {
    for (const one of restore) one();
    syncBuiltinESMExports();
  });

  /** Resolves once nothing is written: what follows an answer is a part of its action, and not of the next one. */
  async function settled(): Promise<void> {
    for (let quiet = 0; quiet < quietTurns; quiet = running === 0 ? quiet + 1 : 0) await nextTurn();
  }

  async function run<Result>(action: () => Promise<Result>, fault: FileFault | undefined) {
    await settled();
    const noted: FileCall[] = [];
    calls = noted;
    planned = fault;
    try {
      const result = await action();
      await settled();
      return { result, noted };
    } finally {
      calls = undefined;
    }
  }

  return {
    list: async (action) => {
      const { result, noted } = await run(action, undefined);
      const faults = noted.flatMap((call, at) => toFaults(call.name).map((fault) => ({ ...call, at, fault })));
      return { result, faults };
    },
    play: async (fault, action) => {
      const { result, noted } = await run(action, fault);
      if (noted.length <= fault.at) throw new Error(`only ${noted.length} file operations, no fault`);
      return result;
    },
  };
}

/** Describes a fault in a message. */
export const describeFault = ({ name, file, at, fault }: FileFault): string =>
  `${fault} in call ${at + 1}, ${name} ${path.basename(file)}`;

/** Tracks the memory of the whole server: its limit, the counted bytes, and the actual use of V8's heap. */
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import type { ByteTotal } from './project-usage.ts';

/** Share of V8's heap that may be counted. The rest is for requests that are being read, and for garbage. */
const maxHeapShare = 0.75;

/** Default share of the memory of the machine or its container. */
const defaultMachineShare = 0.7;

/** Share of V8's heap above which nothing may grow, independent of the counted bytes. */
const fullHeapShare = 0.9;

/** The heap is checked after this many calls, or this many bytes of growth. A check takes a few microseconds. */
const sampleCalls = 500;
const sampleBytes = 1024 ** 2;

/** Returns the maximum of `--memory` on this Node process, in bytes. */
export function maxMemory(): number {
  return Math.floor(getHeapStatistics().heap_size_limit * maxHeapShare);
}

/** Returns the default of `--memory`, in bytes. */
export function defaultMemory(): number {
  // Node returns 0 or a huge number if there is no limit.
  const container = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.floor(Math.min(defaultMachineShare * Math.min(totalmem(), container), maxMemory()));
}

export interface ServerMemory extends ByteTotal {
  readonly limit: number;
  /** Whether V8's heap was nearly full at the last check. */
  isHeapFull(): boolean;
  /** Whether this many more bytes fit into V8's heap now. */
  fitsHeap(added: number): boolean;
}

type Heap = () => { readonly used_heap_size: number; readonly heap_size_limit: number };

export function createServerMemory(limit: number, heap: Heap = getHeapStatistics): ServerMemory {
  let bytes = 0;
  let isFull = false;
  let calls = 0;
  let growth = 0;
  return {
    limit,
    get bytes() {
      return bytes;
    },
    set bytes(value: number) {
      growth += Math.max(0, value - bytes);
      bytes = value;
    },
    fitsHeap: (added) => {
      const { used_heap_size: used, heap_size_limit: max } = heap();
      return used + added <= fullHeapShare * max;
    },
    isHeapFull: () => {
      calls += isFull ? 10 : 1;
      if (growth < sampleBytes && calls < sampleCalls) return isFull;
      const { used_heap_size: used, heap_size_limit: max } = heap();
      isFull = used > fullHeapShare * max;
      calls = 0;
      growth = 0;
      return isFull;
    },
  };
}

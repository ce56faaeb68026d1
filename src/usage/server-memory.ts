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

type Heap = () => { readonly used_heap_size: number; readonly heap_size_limit: number };

export class ServerMemory implements ByteTotal {
  readonly limit: number;
  readonly #heap: Heap;
  #bytes = 0;
  #isFull = false;
  #calls = 0;
  #growth = 0;

  constructor(limit: number, heap: Heap = getHeapStatistics) {
    this.limit = limit;
    this.#heap = heap;
  }

  get bytes(): number {
    return this.#bytes;
  }

  set bytes(value: number) {
    this.#growth += Math.max(0, value - this.#bytes);
    this.#bytes = value;
  }

  /** Whether this many more bytes fit into V8's heap now. */
  fitsHeap(added: number): boolean {
    const { used_heap_size: used, heap_size_limit: max } = this.#heap();
    return used + added <= fullHeapShare * max;
  }

  /** Whether V8's heap was nearly full at the last check. */
  isHeapFull(): boolean {
    this.#calls += this.#isFull ? 10 : 1;
    if (this.#growth < sampleBytes && this.#calls < sampleCalls) return this.#isFull;
    this.#isFull = !this.fitsHeap(0);
    this.#calls = 0;
    this.#growth = 0;
    return this.#isFull;
  }
}

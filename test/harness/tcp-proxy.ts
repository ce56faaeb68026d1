/** A proxy in front of a server for one test file, which can cut all connections while the server keeps running. */
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type CuttingProxy, startCuttingProxy } from '../rig/cutting-proxy.ts';

/** Starts a proxy. Calls `target` for the server's URL. Each test starts with a proxy that works. */
export function useTcpProxy(target: () => string): () => CuttingProxy {
  let proxy: CuttingProxy;
  beforeAll(async () => {
    proxy = await startCuttingProxy(target());
  });
  beforeEach(() => proxy.restore());
  afterAll(() => proxy.close());
  return () => proxy;
}

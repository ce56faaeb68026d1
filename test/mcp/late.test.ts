/** Calls that take longer than one answer may: the time until then is made short. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { expect, test, vi } from 'vitest';
import { timers } from '../../src/lib/timers.ts';
import { createMcpServer } from '../../src/mcp/server.ts';

test('a call without jobs says where its results are, and names no job', async () => {
  const { setTimeout } = timers;
  const shortened = (run: () => void, ms = 0) => setTimeout(run, ms > 40_000 ? 10 : ms);
  vi.spyOn(timers, 'setTimeout').mockImplementation(shortened as typeof setTimeout);
  const never = new Promise<never>(() => undefined);
  const server = createMcpServer({ url: 'http://127.0.0.1:4600', ask: () => never }, { isReadOnly: false });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(near as Transport);
  const result = await client.callTool({ name: 'move_clock', arguments: { project: 'p', until: 'idle' } });
  expect(result).toMatchObject({
    content: [{ text: expect.stringMatching(/^Still running: .*find_events/) }],
    structuredContent: { status: 'running' },
  });
  await client.close();
  vi.restoreAllMocks();
});

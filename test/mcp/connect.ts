/** Connects the official client to the tools, and calls them. */
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { onTestFinished } from 'vitest';
import { environment } from '../rig/process.ts';

/** The answer to a call: its text, and its data or undefined after a mistake. */
export interface Called {
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: results are JSON of any shape.
  readonly data: any;
  readonly isError: boolean;
}

export interface Agent {
  readonly client: Client;
  /** Calls a tool. The client checks the result by the tool's output schema. */
  call(name: string, input?: object): Promise<Called>;
}

async function connect(transport: Transport): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  // The client knows the output schemas once it has listed the tools.
  await client.listTools();
  return {
    client,
    call: async (name, input = {}) => {
      const { content, structuredContent, isError } = await client.callTool({ name, arguments: { ...input } });
      const [first] = content as { text: string }[];
      return { text: first?.text ?? '', data: structuredContent, isError: isError === true };
    },
  };
}

/** Connects over HTTP, for the time of a test. */
export function connectHttp(url: string, headers: Record<string, string> = {}): Promise<Agent> {
  const address = new URL(`${url}/_sandbox/mcp`);
  // The transport's own types are looser than this project's compiler options.
  return connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }) as Transport);
}

/** Starts `field-sandbox mcp` from a built program, for the time of a test. */
export function connectStdio(
  main: string,
  args: readonly string[],
  env: Record<string, string> = {},
  cwd: string = path.dirname(main),
): Promise<Agent> {
  const options = {
    command: process.execPath,
    args: [main, 'mcp', ...args],
    env: environment(env) as Record<string, string>,
    cwd,
  };
  return connect(new StdioClientTransport({ ...options, stderr: 'pipe' }));
}

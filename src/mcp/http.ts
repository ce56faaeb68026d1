/** Serves the tools at `POST /_sandbox/mcp`: the Model Context Protocol over streamable HTTP, without sessions. */
import type { IncomingHttpHeaders } from 'node:http';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { toAnswer } from '../client/client.ts';
import type { Reply } from '../http/reply.ts';
import { createMcpServer } from './server.ts';
import { toAsk } from './tool.ts';

/** Calls another operation of the control API as the caller of a request; a text as the body is YAML. */
export type AskReply = (method: string, path: string, body?: unknown) => Promise<Reply>;

/** A request that the control API has admitted, read and validated. */
interface McpRequest {
  readonly headers: IncomingHttpHeaders;
  readonly isSecure: boolean;
  readonly body: unknown;
}

/** Headers that the protocol reads. */
const protocolHeaders = ['content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

/** Answers with JSON, which all clients accept, as there is one message to answer with. */
export async function answerMcp({ headers, isSecure, body }: McpRequest, askReply: AskReply): Promise<Reply> {
  const ask = toAsk(async (method, path, sent) => {
    const reply = await askReply(method, path, sent);
    return toAnswer({ status: reply.status, type: reply.headers['content-type'], text: await readReply(reply) }, path);
  });
  const url = `${isSecure ? 'https' : 'http'}://${headers.host ?? 'localhost'}`;
  const handler = createMcpHandler(() => createMcpServer({ ask, url }, { isReadOnly: false }));
  const given = protocolHeaders.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]]));
  const sent = { accept: 'application/json, text/event-stream', ...Object.fromEntries(given) };
  // Not the URL of the caller: its host is any text.
  const request = new Request('http://localhost/_sandbox/mcp', { method: 'POST', headers: sent });
  const response = await handler.fetch(request, { parsedBody: body });
  const text = await response.text();
  await handler.close();
  // A client's text may contain line separators other than those of an event.
  const message = /(?:^|\n)data: (\{[^\n]*)/.exec(text)?.[1] ?? text;
  return message === ''
    ? { status: response.status, headers: {}, body: undefined }
    : { status: response.status, headers: { 'content-type': 'application/json' }, body: message };
}

async function readReply({ body = '', pieces = [] }: Reply): Promise<string> {
  let whole = body;
  for await (const piece of pieces) whole += String(piece);
  return whole;
}

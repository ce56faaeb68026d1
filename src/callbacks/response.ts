/** Reads a receiver's response, so that it can be stored with the attempt. */
import type { IncomingMessage } from 'node:http';

/** The receiver's response to an attempt, as it is stored: without secrets, and with the first 4 kB of its body. */
export interface ReceiverResponse {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Size of the whole body in bytes, as far as it is known; absent if `body` is complete. */
  readonly bodyCut?: number;
  /** Real time until the headers arrived, in milliseconds. */
  readonly durationMs: number;
}

/** A response as it was received. */
export interface ReceivedResponse extends Omit<ReceiverResponse, 'bodyCut'> {
  /** Size of the whole body in bytes, as far as it is known. */
  readonly size: number;
  /** Whether the body was read to its end. */
  readonly isWhole: boolean;
}

/** Maximum size of a body that is read, so that a short response can end normally. */
export const maxReadBytes: number = 64 * 1024;

/** Size that is read of a body that is longer anyway: more than what is stored of it. */
const startBytes = 8 * 1024;

/** Reads the beginning of the body. Never throws: a body that is too slow or cut off ends where it does. */
export async function readResponse(message: IncomingMessage, durationMs: number): Promise<ReceivedResponse> {
  const { headers } = message;
  const announced = Number(headers['content-length'] ?? 0) || 0;
  const limit = announced > maxReadBytes ? startBytes : maxReadBytes;
  const chunks: Uint8Array[] = [];
  let read = 0;
  let isWhole = false;
  // The iteration throws the error; without a listener, it would also end the process.
  message.on('error', () => undefined);
  try {
    for await (const chunk of message) {
      chunks.push(chunk);
      read += chunk.length;
      if (read > limit) break;
    }
    isWhole = read <= limit;
  } catch {
    // What was read is stored.
  }
  return {
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')])),
    body: decode(Buffer.concat(chunks), headers['content-type']),
    size: isWhole ? read : Math.max(read, announced),
    isWhole,
    durationMs: Math.round(durationMs * 1000) / 1000,
  };
}

/** Decodes a body by the charset of its content type; by default UTF-8. Bytes that are no text become U+FFFD. */
function decode(bytes: Buffer, contentType: string | undefined): string {
  const [, charset] = /charset="?([\w-]+)/i.exec(contentType ?? '') ?? [];
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

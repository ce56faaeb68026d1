/** Reads a received callback and verifies its signature. */
import type { CallbackMessageView, CallbackTypeName } from '../types.ts';

/** One received attempt to deliver a callback. */
export interface ReceivedCallback {
  /** The `webhook-id` header, the same in every attempt; empty if the header is missing. */
  readonly id: string;
  /** Type of the message, such as `jobs.import.failed`; empty if the body has none. */
  readonly type: string;
  /** The parsed message; undefined if the body is not JSON, which the sandbox only sends if a scenario asks for it. */
  readonly body: CallbackMessageView;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text of the body, as received. */
  readonly raw: string;
  /** Whether the callback was signed with the receiver's secret, at most five minutes ago. */
  readonly verified: boolean;
  /** Reason why the callback is not verified. */
  readonly refusal?: string;
  /** When the callback was received, in real time: ISO 8601 in UTC. */
  readonly at: string;
}

/** Filter for received callbacks. */
export interface ReceivedFilter {
  /** Type of the message. */
  readonly type?: CallbackTypeName;
  /** Whether the signature is valid. Default: true. */
  readonly verified?: boolean;
}

/** Parses a received callback and verifies its signature, which covers the exact text of the body. */
export async function toReceived(
  input: Pick<ReceivedCallback, 'headers' | 'raw' | 'at'>,
  secret: string,
): Promise<ReceivedCallback> {
  const refusal = await verifySignature(input, secret);
  const body = parse(input.raw) as CallbackMessageView | undefined;
  const verification = refusal === undefined ? { verified: true } : { verified: false, refusal };
  const type = typeof body?.type === 'string' ? body.type : '';
  return { id: input.headers['webhook-id'] ?? '', type, body: body as CallbackMessageView, ...input, ...verification };
}

/** Returns why a signature is not valid, or undefined if it is valid. */
async function verifySignature(
  { headers, raw }: Pick<ReceivedCallback, 'headers' | 'raw'>,
  secret: string,
): Promise<string | undefined> {
  const { Webhook } = await import('standardwebhooks');
  try {
    new Webhook(secret).verify(raw, { ...headers }, { jsonParse: false });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

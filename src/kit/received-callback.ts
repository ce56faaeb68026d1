/** What a receiver keeps of a callback, and whether its signature holds. */
import type { CallbackMessage, CallbackType } from './types.ts';

/** One attempt at a callback as it came. */
export interface ReceivedCallback {
  /** Its `webhook-id`, the same in every attempt; empty where none came. */
  readonly id: string;
  /** The message's type, such as `jobs.import.failed`; empty where the body has none. */
  readonly type: string;
  /** The message; undefined where the body is no JSON, which only a scenario or a stranger sends. */
  readonly body: CallbackMessage;
  /** By their names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body's text as it came. */
  readonly raw: string;
  /** Whether it was signed with the receiver's secret, at most five minutes ago. */
  readonly verified: boolean;
  /** Why it is not verified. */
  readonly refusal?: string;
  /** When it came, in real time. */
  readonly at: string;
}

/** Which of them are meant. */
export interface ReceivedFilter {
  /** By the message's type. */
  readonly type?: CallbackType;
  /** Usually true: what was not signed as it should be does not count. */
  readonly verified?: boolean;
}

/** What came, looked at: the signature is of its very text. */
export async function toReceived(
  came: Pick<ReceivedCallback, 'headers' | 'raw' | 'at'>,
  secret: string,
): Promise<ReceivedCallback> {
  const refusal = await refuse(came, secret);
  const body = parse(came.raw) as CallbackMessage | undefined;
  const verdict = refusal === undefined ? { verified: true } : { verified: false, refusal };
  const type = typeof body?.type === 'string' ? body.type : '';
  return { id: came.headers['webhook-id'] ?? '', type, body: body as CallbackMessage, ...came, ...verdict };
}

/** Why a signature does not hold, or undefined where it does. */
async function refuse(
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

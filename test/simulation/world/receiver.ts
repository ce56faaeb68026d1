/** Receives callbacks, and sees whether each may be sent. */
import type { Delivery, DeliveryResult, Sender } from '../../../src/callbacks/send.ts';
import type { Process, Simulator } from './simulator.ts';

/** What a callback reports. */
export interface Report {
  readonly projectId: string;
  readonly failed: readonly { readonly id: string }[];
}

interface Parts {
  readonly simulator: Simulator;
  /** Whether nothing is disturbed, so that no callback that was delivered is sent again. */
  readonly isCalm: boolean;
  violate(text: string): void;
  /** Called when a server sends a callback. */
  onSend(process: Process, id: string, report: Report): void;
}

export interface Receiver {
  /** Creates the sender of a server. */
  senderOf(process: Process): Pick<Sender, 'send'>;
}

export function createReceiver({ simulator, isCalm, violate, onSend }: Parts): Receiver {
  const { after, latency, happens, note } = simulator;
  const failed = new Set<string>();
  const delivered = new Set<string>();

  function answer(id: string): DeliveryResult {
    // The second attempt succeeds, so that a history ends soon.
    if (failed.has(id) || !happens(0.15)) return { status: 204 };
    failed.add(id);
    return happens(0.5) ? { status: 500 } : { error: 'the connection was reset' };
  }

  function send(process: Process, { headers, body, signal }: Delivery): Promise<DeliveryResult> {
    const id = String(headers['webhook-id']);
    if (signal?.aborted) return Promise.resolve({ error: 'cancelled' });
    if (isCalm && delivered.has(id)) violate(`callback ${id} was delivered, and is sent again`);
    onSend(process, id, (JSON.parse(body) as { readonly data: Report }).data);
    return new Promise((resolve) => {
      signal?.addEventListener('abort', () => resolve({ error: 'cancelled' }), { once: true });
      after(latency(), () => {
        const result = answer(id);
        note('receiver', `${id} from ${process.name}: ${JSON.stringify(result)}`);
        if ('status' in result && result.status === 204) delivered.add(id);
        after(latency(), () => resolve(result), process);
      });
    });
  }

  return { senderOf: (process) => ({ send: (delivery) => send(process, delivery) }) };
}

/** `connection`: breaks the response on the connection. */
import type { EffectDefinition } from './definition.ts';
import { type ConnectionFault, connectionFaults } from './effect.ts';
import { toProcessedSchema } from './respond.ts';

export interface ConnectionKeys {
  readonly connection?: ConnectionFault;
  /** Whether the request takes effect. */
  readonly processed?: boolean;
}

export const connection: EffectDefinition<ConnectionKeys> = {
  kind: 'connection',
  scope: 'request',
  schemas: (pieces) => ({
    connection: pieces.z
      .enum(connectionFaults)
      .describe(
        'Breaks the response. reset, close: no response; hang: no response until the client disconnects; truncate: half of the body; drip: one byte at a time',
      ),
    processed: toProcessedSchema(pieces),
  }),
  compile: ({ connection: fault, processed = false }) => {
    if (fault === undefined) return undefined;
    const broken = { fault, processed };
    return (plan) => {
      if (plan.connection) return 'outdone';
      plan.connection = broken;
      return 'acted';
    };
  },
  failures: () =>
    connectionFaults.flatMap((fault) =>
      [false, true].map((isProcessed) => ({
        kind: `connection-${fault}${isProcessed ? '-processed' : ''}`,
        about: `${descriptions[fault]}; the request ${isProcessed ? 'takes' : 'has no'} effect`,
        effect: `{ connection: ${fault}${isProcessed ? ', processed: true' : ''} }`,
        expects: 'recovery',
        isOutage: !isProcessed && outages.includes(fault),
        ...(fault === 'drip' && !isProcessed && { caseEffect: () => slowRefusal }),
        does: (observed) => observed.connection === fault && (observed.processed ?? false) === isProcessed,
      })),
    ),
};

/** A slow response that is complete in the end must not claim an effect that the request did not have. */
const slowRefusal = '{ connection: drip, respond: { status: 503, headers: { retry-after: "1" } } }';

/** Faults that last in an outage. */
const outages: readonly ConnectionFault[] = ['reset', 'hang'];

const descriptions: Readonly<Record<ConnectionFault, string>> = {
  reset: 'the connection is reset without a response',
  close: 'the connection is closed without a response',
  hang: 'no response is sent, and the connection stays open',
  truncate: 'the response ends after half of its body',
  drip: 'the response is sent one byte at a time',
};

/** `respond`: replaces the real response. */
import type { ZodType } from 'zod';
import { createHeadersSchema, framingHeaders, sandboxHeaders } from '../../lib/header.ts';
import { toDefaultMessage } from '../../lib/problem.ts';
import type { SchemaPieces } from '../schema-pieces.ts';
import type { EffectDefinition } from './definition.ts';
import type { EffectFailure, OperationTraits } from './effect.ts';

/** A response that replaces the real one. Without a body, the default body for the status is sent. */
export interface Respond {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface RespondKeys {
  readonly respond?: Respond;
  /** Whether the request takes effect. */
  readonly processed?: boolean;
}

export const respond: EffectDefinition<RespondKeys> = {
  kind: 'respond',
  scope: 'request',
  schemas: (pieces) => ({ respond: toRespondSchema(pieces), processed: toProcessedSchema(pieces) }),
  compile: ({ respond: wanted, processed = false }) => {
    if (!wanted) return undefined;
    const response = { status: wanted.status, headers: wanted.headers ?? {}, body: wanted.body, processed };
    return (plan) => {
      if (plan.respond) return 'outdone';
      plan.respond = response;
      return 'acted';
    };
  },
  failures: toStatusFailures,
};

/** Creates the schema of `processed`, which also modifies `connection`. */
export function toProcessedSchema({ z }: SchemaPieces): ZodType<boolean> {
  return z.boolean().describe('Whether the request takes effect. Default: false');
}

function toRespondSchema({ z, wholeNumber }: SchemaPieces): ZodType<Respond> {
  const headers = createHeadersSchema(z, [...framingHeaders, ...sandboxHeaders]);
  return z
    .strictObject({
      status: wholeNumber(200, 599).describe('Status of the response'),
      headers: headers.describe('Headers of the response, by name').exactOptional(),
      body: z.unknown().optional().describe('Any JSON value. Default: the default body of the status'),
    })
    .describe('Replaces the normal response');
}

/** Statuses of proxies between client and API: no operation declares them, but every client receives them. */
const proxyStatuses = [502, 503, 504];

function toStatusFailures({ statuses }: OperationTraits): readonly EffectFailure[] {
  const all = [...new Set([...statuses, ...proxyStatuses])].sort((a, b) => a - b);
  const failures = all.map((status): EffectFailure => {
    const effectWith = (headers: string): string => `{ respond: { status: ${status}${headers} } }`;
    const effect = effectWith(status === 503 ? ', headers: { retry-after: "30" }' : '');
    return {
      kind: `status-${status}`,
      about: `the response is ${status} (${toDefaultMessage(status)}); the request has no effect`,
      effect,
      expects: status < 500 && !retriedStatuses.includes(status) ? 'report' : 'recovery',
      isOutage: outageStatuses.includes(status),
      caseEffect: () => (waitStatuses.includes(status) ? effectWith(', headers: { retry-after: "1" }') : effect),
      does: ({ respond: response, connection, processed = false }) =>
        response?.status === status && connection === undefined && !processed,
    };
  });
  return [...failures, processedTimeout];
}

/** Statuses below 500 after which a client sends the request again. */
const retriedStatuses = [408, 425, 429];
/** Statuses that clients meet on every request in an outage. */
const outageStatuses = [429, 500, 503];
/** Statuses whose responses say how long to wait. */
const waitStatuses = [429, 503];

const processedTimeout: EffectFailure = {
  kind: 'status-504-processed',
  about: 'a proxy times out, and the response is 504; the request takes effect',
  effect: '{ respond: { status: 504 }, processed: true }',
  expects: 'recovery',
  does: ({ respond: response, processed }) => response?.status === 504 && processed === true,
};

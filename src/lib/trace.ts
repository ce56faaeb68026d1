/** Reads the W3C trace context of a request, and continues it (www.w3.org/TR/trace-context). */
import { headerValue } from './header.ts';

/** The trace that a request is part of. Plain data. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The flags that versions of the specification define: sampled, and a random trace id. */
  readonly flags: string;
  /** The header `tracestate`, unchanged. */
  readonly state?: string;
}

/** The headers that continue a trace. */
export interface TraceHeaders {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** Later versions may add fields after those of version 00. */
const form = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-([\da-f]{2})(-.*)?$/;

/** Maximum length of `tracestate`, in characters. Each callback of a request has a copy of it. */
const maxStateLength = 2048;

const knownFlags = 0b11;

/** Returns the trace of a request, or undefined if it names none, or not in the form of the specification. */
export function parseTrace(headers: NodeJS.Dict<string | string[]>): TraceContext | undefined {
  const { traceparent, tracestate } = headers;
  if (typeof traceparent !== 'string') return undefined;
  const [, version, traceId, given = '', more] = form.exec(traceparent) ?? [];
  if (traceId === undefined || (version === '00' && more !== undefined)) return undefined;
  const flags = (Number.parseInt(given, 16) & knownFlags).toString(16).padStart(2, '0');
  const state = tracestate === undefined ? '' : String(tracestate);
  const isKept = state !== '' && state.length <= maxStateLength && headerValue.test(state);
  return { traceId, flags, ...(isKept && { state }) };
}

/** Continues a trace with a span: 16 hexadecimal digits. */
export function continueTrace({ traceId, flags, state }: TraceContext, spanId: string): TraceHeaders {
  return { traceparent: `00-${traceId}-${spanId}-${flags}`, ...(state !== undefined && { tracestate: state }) };
}

/** Returns the id of the trace that a header continues. */
export function traceIdOf({ traceparent }: TraceHeaders): string {
  return traceparent.slice(3, 35);
}

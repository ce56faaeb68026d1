/** Reads a request within the limits of the server: its body, and the scenario that it names. */
import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Json } from '../lib/json.ts';
import type { Problem } from '../lib/problem.ts';
import { addFromBody } from '../openapi/identify.ts';
import type { CompiledScenario } from '../scenarios/compile.ts';
import type { SecretTests } from '../scenarios/secret-tests.ts';
import { createBodyReader, type Parsed, parseJson, type RawBody } from './body.ts';
import { checkShape } from './body-shape.ts';
import type { RequestHandlerDeps } from './handler-deps.ts';
import type { FoundMatch, RequestValidation, Validated } from './validate-request.ts';

/** A request's data before it is applied. */
export interface ReceivedRequest {
  readonly raw: RawBody;
  readonly parsed: Parsed;
  /** The scenario named in its header, or undefined if the header is missing or the name is unknown. */
  readonly scenario: CompiledScenario | undefined;
  /** The validation result, if the body was already validated. */
  readonly validated?: Validated;
  /** In a replay: the recorded results of conditions on secrets. */
  readonly secretTests?: SecretTests;
  /** In a replay: the recorded rejection by a limit. */
  readonly recordedRejection?: Problem | undefined;
  /** In a replay, whose clock is frozen: the rate of the clock when the request was recorded. */
  readonly recordedRate?: number;
}

const mediaTypes = ['application/json'];

/** Longer bodies are parsed, validated and applied in separate turns of the event loop, in characters. */
const maxAtOnce = 500_000;

/** Creates a function that reads a request. It waits for the client, so other requests run meanwhile. */
export function createRequestReader(
  { limits, admission, wall, library }: RequestHandlerDeps,
  { validateInSlices }: RequestValidation,
): (incoming: IncomingMessage, match: FoundMatch) => Promise<ReceivedRequest> {
  const readBody = createBodyReader(limits.bytes, admission.bodies);

  function admitParsing(body: RawBody): RawBody {
    const problem = 'text' in body ? admission.admitParsing(body.text) : undefined;
    return problem ? { problem } : body;
  }

  // Each await takes time, also of the smallest request, so there is one only where there is something to wait for.
  return async (incoming, match) => {
    const received = await readBody(incoming, mediaTypes);
    const checking = checkShape(received, limits, wall);
    const body = checking ? await checking : received;
    if (isLarge(body)) await nextTurn();
    const raw = admitParsing(body);
    const parsing = 'problem' in raw ? raw : parseJson(raw.text, wall);
    const parsed = parsing instanceof Promise ? await parsing : parsing;
    const name = incoming.headers['x-sandbox-scenario'];
    const scenario = name === undefined ? undefined : await library.compiled(String(name));
    if ('value' in parsed) addFromBody(match, parsed.value);
    if (!isLarge(raw) || !('value' in parsed)) return { raw, parsed, scenario };
    return { raw, parsed, scenario, validated: await validateInSlices(match, parsed.value as Json) };
  };
}

function isLarge(body: RawBody): boolean {
  return 'text' in body && body.text.length > maxAtOnce;
}

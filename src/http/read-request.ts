/** Reads a request within the limits of the server: its body, and the scenario that it names. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Json } from '../lib/json.ts';
import type { Problem } from '../lib/problem.ts';
import { nextTurn } from '../lib/timers.ts';
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
  /** Identifies the request among servers that share the projects. */
  readonly token?: string | undefined;
}

export interface RequestReader {
  /** Reads a request. It waits for the client, so other requests run meanwhile. */
  read(incoming: IncomingMessage, match: FoundMatch): Promise<ReceivedRequest>;
  /** The first half of `read`: reads the text of a body. */
  readBody(incoming: IncomingMessage): Promise<RawBody>;
  /** The second half of `read`. */
  parse(received: RawBody, headers: IncomingHttpHeaders, match: FoundMatch): Promise<ReceivedRequest>;
}

const mediaTypes = ['application/json'];

/** Longer bodies are parsed, validated and applied in separate turns of the event loop, in characters. */
const maxAtOnce = 500_000;

export function createRequestReader(
  { limits, admission, wall, library }: RequestHandlerDeps,
  { validateInSlices }: RequestValidation,
): RequestReader {
  const readBody = createBodyReader(limits.bytes, admission.bodies);

  function admitShape(body: RawBody): RawBody {
    const problem = 'text' in body ? checkShape(body.text, limits) : undefined;
    return problem ? { problem } : body;
  }

  function admitParsing(body: RawBody): RawBody {
    const problem = 'text' in body ? admission.admitParsing(body.text) : undefined;
    return problem ? { problem } : body;
  }

  // Each await takes time, also of the smallest request, so there is one only where there is something to wait for.
  async function parse(
    reading: RawBody | Promise<RawBody>,
    headers: IncomingHttpHeaders,
    match: FoundMatch,
  ): Promise<ReceivedRequest> {
    const received = await reading;
    const body = admitShape(received);
    if (isLarge(body)) await nextTurn();
    const raw = admitParsing(body);
    const parsing = 'problem' in raw ? raw : parseJson(raw.text, wall);
    const parsed = parsing instanceof Promise ? await parsing : parsing;
    const name = headers['x-sandbox-scenario'];
    const scenario = name === undefined ? undefined : await library.compiled(String(name));
    if ('value' in parsed) addFromBody(match, parsed.value);
    if (!isLarge(raw) || !('value' in parsed)) return { raw, parsed, scenario };
    return { raw, parsed, scenario, validated: await validateInSlices(match, parsed.value as Json) };
  }

  const readText = (incoming: IncomingMessage): Promise<RawBody> => readBody(incoming, mediaTypes);
  return {
    readBody: readText,
    parse,
    read: (incoming, match) => parse(readText(incoming), incoming.headers, match),
  };
}

function isLarge(body: RawBody): boolean {
  return 'text' in body && body.text.length > maxAtOnce;
}

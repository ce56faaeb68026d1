/** Reads a request within the limits of the server: its body, and the scenario that it names. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Problem } from '../lib/problem.ts';
import { addFromBody } from '../openapi/identify.ts';
import type { CompiledScenario } from '../scenarios/compile.ts';
import type { SecretTests } from '../scenarios/secret-tests.ts';
import { isHeavy } from '../usage/turns.ts';
import { createBodyReader, type Parsed, parseJson, type RawBody } from './body.ts';
import { checkShape } from './body-shape.ts';
import type { RequestHandlerDeps } from './handler-deps.ts';
import type { FoundMatch } from './validate-request.ts';

/** A request's data before it is applied. */
export interface ReceivedRequest {
  readonly raw: RawBody;
  readonly parsed: Parsed;
  /** The scenario named in its header, or undefined if the header is missing or the name is unknown. */
  readonly scenario: CompiledScenario | undefined;
  /** In a replay: the recorded results of conditions on secrets. */
  readonly secretTests?: SecretTests;
  /** In a replay: the recorded rejection by a limit. */
  readonly recordedRejection?: Problem | undefined;
  /** In a replay, whose clock is frozen: the rate of the clock when the request was recorded. */
  readonly recordedRate?: number;
  /** Identifies the request among servers that share the projects. */
  readonly token?: string | undefined;
}

/** Whose request it is. Heavy requests take turns by these. */
export interface Requester {
  /** Id of the API key. */
  readonly key: string;
  readonly project: string;
}

export interface RequestReader {
  /** Reads a request. It waits for the client, and for its turn if the body is long, so other requests run meanwhile. */
  read(incoming: IncomingMessage, match: FoundMatch, requester: Requester): Promise<ReceivedRequest>;
  /** The first half of `read`: reads the text of a body. */
  readBody(incoming: IncomingMessage): Promise<RawBody>;
  /** The second half of `read`. */
  parse(
    received: RawBody,
    headers: IncomingHttpHeaders,
    match: FoundMatch,
    requester: Requester,
  ): Promise<ReceivedRequest>;
}

const mediaTypes = ['application/json'];

export function createRequestReader({ limits, admission, library }: RequestHandlerDeps): RequestReader {
  const readBody = createBodyReader(limits.bytes, admission.bodies);

  function check(body: RawBody): RawBody {
    if ('problem' in body) return body;
    const problem = checkShape(body.text, limits) ?? admission.admitParsing(body.text);
    return problem ? { problem } : body;
  }

  // Each await takes time, also of the smallest request, so there is one only where there is something to wait for.
  async function parse(
    reading: RawBody | Promise<RawBody>,
    headers: IncomingHttpHeaders,
    match: FoundMatch,
    requester: Requester,
  ): Promise<ReceivedRequest> {
    const received = await reading;
    if ('text' in received && isHeavy(received.text)) await admission.turns.next(requester.key, requester.project);
    const raw = check(received);
    const parsing = 'problem' in raw ? raw : parseJson(raw.text);
    const parsed = parsing instanceof Promise ? await parsing : parsing;
    const name = headers['x-sandbox-scenario'];
    const scenario = name === undefined ? undefined : await library.compiled(String(name));
    if ('value' in parsed) addFromBody(match, parsed.value);
    return { raw, parsed, scenario };
  }

  const readText = (incoming: IncomingMessage): Promise<RawBody> => readBody(incoming, mediaTypes);
  return {
    readBody: readText,
    parse,
    read: (incoming, match, requester) => parse(readText(incoming), incoming.headers, match, requester),
  };
}

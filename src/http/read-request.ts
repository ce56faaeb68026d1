/** Reads a request within the limits of the server: its body, and the scenario that it names. */
import type { IncomingMessage } from 'node:http';
import type { ApiKey } from '../keys/api-key.ts';
import { addFromBody } from '../openapi/identify.ts';
import { isHeavy } from '../usage/shares.ts';
import { createBodyReader, parseJson, type RawBody } from './body.ts';
import { checkShape } from './body-shape.ts';
import type { MatchedExchange } from './exchange.ts';
import type { RequestHandlerDeps } from './handler-deps.ts';

export interface RequestReader {
  /** Reads the text of a body with this key. It waits for the client, so other requests run meanwhile. */
  readText(incoming: IncomingMessage, key: ApiKey | undefined): Promise<RawBody>;
  /** Adds the text and the value of its body, and its scenario. A long body waits for its turn. */
  parse(exchange: MatchedExchange, reading: RawBody | Promise<RawBody>, project: string): Promise<void>;
}

const mediaTypes = ['application/json'];

export function createRequestReader({ limits, admission, library }: RequestHandlerDeps): RequestReader {
  const readBody = createBodyReader(limits.bytes, admission.bodies);

  function check(body: RawBody): RawBody {
    if ('problem' in body) return body;
    const problem = checkShape(body.text, limits) ?? admission.admitParsing(body.text);
    return problem ? { problem } : body;
  }

  return {
    readText: (incoming, key) => readBody(incoming, mediaTypes, key?.id),
    // Each await takes time, also of the smallest request, so there is one only where there is something to wait for.
    parse: async (exchange, reading, project) => {
      const text = await reading;
      if ('text' in text && isHeavy(text.text)) await admission.turns.next(exchange.key?.id ?? '', project);
      const raw = check(text);
      const parsing = 'problem' in raw ? raw : parseJson(raw.text);
      const parsed = parsing instanceof Promise ? await parsing : parsing;
      const name = exchange.request.headers['x-sandbox-scenario'];
      exchange.scenario = name === undefined ? undefined : await library.compiled(String(name));
      if ('value' in parsed) addFromBody(exchange.match, parsed.value);
      exchange.raw = raw;
      exchange.parsed = parsed;
    },
  };
}

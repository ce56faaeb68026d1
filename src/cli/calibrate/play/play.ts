/** Plays the traffic in a sandbox, one exchange after another. */
import { parseJson } from '../../../client/send.ts';
import type { AppliedProfile } from '../../../config/config-files.ts';
import type { Json } from '../../../lib/json.ts';
import { buildRequest } from '../../../openapi/build-request.ts';
import type { Contract } from '../../../openapi/contract.ts';
import { identifierNames } from '../../../openapi/profile/places.ts';
import { type AcceptedMistake, findAccepted } from '../compare/mistakes.ts';
import { isObject } from '../exchange.ts';
import type { MappedExchange } from '../mapping/endpoint.ts';
import { shippedFacts } from '../mapping/shipped.ts';
import { type AssumedRecord, createAssumptions } from './assume.ts';
import { createKeyChoice } from './keys.ts';
import { type Content, type PlayedRequest, PlaySandbox } from './sandbox.ts';

/** The sandbox's response to an exchange. */
export interface Ours extends Content {
  readonly status: number;
  readonly value: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** An exchange of the traffic beside the sandbox's response to it. */
export interface Case {
  readonly mapped: MappedExchange;
  readonly ours: Ours;
  /** What the document does not allow and the real API accepts, unknown fields included. */
  readonly mistakes: readonly AcceptedMistake[];
}

export interface Played {
  readonly cases: readonly Case[];
  readonly assumed: readonly AssumedRecord[];
}

/** Time between requests of a traffic without times, in milliseconds. */
const defaultGapMs = 1000;

/** Plays all exchanges, or those until `isEnough` returns true; the result is undefined then. */
export async function play(
  mapped: readonly MappedExchange[],
  applied: AppliedProfile,
  contract: Contract,
  isEnough: (one: Case) => boolean,
): Promise<Played | undefined> {
  const beganMs = mapped.find(({ exchange }) => exchange.atMs !== undefined)?.exchange.atMs ?? 0;
  const sandbox = new PlaySandbox(applied, contract, beganMs);
  const chooseKey = createKeyChoice(mapped, applied.profile.errors);
  const assumptionsOf = createAssumptions(mapped, applied.profile);
  const cases: Case[] = [];
  const assumed: AssumedRecord[] = [];
  let atMs = beganMs - defaultGapMs;
  try {
    for (const one of mapped) {
      atMs = one.exchange.atMs ?? atMs + defaultGapMs;
      for (const assumption of assumptionsOf(one)) {
        const { project, collection, id, record } = assumption;
        if (sandbox.put(project, collection, id, record)) assumed.push(assumption);
      }
      const request = toPlayedRequest(one, contract, chooseKey(one));
      const { reply, content } = await sandbox.send({ ...request, atMs });
      const ours = { ...content, status: reply.status, headers: reply.headers, value: parseJson(reply.body ?? '') };
      const played = { mapped: one, ours, mistakes: findAccepted(one, parseJson(request.body), applied, contract) };
      if (isEnough(played)) return undefined;
      cases.push(played);
    }
  } finally {
    sandbox.dispose();
  }
  return { cases, assumed };
}

/** Headers that the request keeps; the others describe its connection, or its own key. */
const keptHeaders = /^(content-type|x-(?!sandbox-|forwarded-|real-ip).*)$/;

/** Converts an exchange to a request at the place where the profile has its operation. */
function toPlayedRequest(
  { exchange, operation, identifiers, isRouted }: MappedExchange,
  contract: Contract,
  apikey: string | undefined,
): Omit<PlayedRequest, 'atMs'> {
  const { method, url, body: { text, value } = { text: '' } } = exchange;
  const routed = contract.operations.get(operation);
  const kept = Object.entries(exchange.headers).filter(([name]) => keptHeaders.test(name));
  const headers = { host: 'localhost', ...Object.fromEntries(kept), ...(apikey !== undefined && { apikey }) };
  const project = identifiers['projectId'] ?? 'unknown';
  if (isRouted || !routed) return { project, method, url, headers, body: text };
  const built = buildRequest(routed, identifiers, isObject(value) ? withoutIdentifiers(value, operation) : {});
  const body = isObject(value) ? JSON.stringify(built.body) : text;
  return { project, ...built, headers: { ...headers, ...built.headers }, body };
}

/** Returns a body without the identifiers that only the real API has in it. */
function withoutIdentifiers(body: Json, operation: MappedExchange['operation']): Json {
  const { fields } = shippedFacts(operation);
  const isForeign = (name: string): boolean => identifierNames.some((one) => one === name) && !fields.includes(name);
  return Object.fromEntries(Object.entries(body).filter(([name]) => !isForeign(name)));
}

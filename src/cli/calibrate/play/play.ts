/** Plays the mapped exchanges in their order, and pairs each with the sandbox's response. */

import { parseJson } from '../../../client/send.ts';
import type { AppliedProfile } from '../../../config/config-files.ts';
import type { Json } from '../../../lib/json.ts';
import type { ProblemKind, Violation } from '../../../lib/problem.ts';
import type { TemplateValues } from '../../../lib/template.ts';
import { buildRequest } from '../../../openapi/build-request.ts';
import type { Contract } from '../../../openapi/contract.ts';
import { identifierNames } from '../../../openapi/profile/places.ts';
import { operations } from '../../../operations/index.ts';
import { failuresOf } from '../compare/entries.ts';
import { type Exchange, isObject, toUrl } from '../exchange.ts';
import type { MappedExchange } from '../mapping/endpoint.ts';
import { shippedFacts } from '../mapping/skeleton.ts';
import { type AssumedRecord, createAssumptions, isSync, namedIds, toStored } from './assume.ts';
import { createKeyTries, type KeyTry, playedKeys } from './keys.ts';
import { type PlayedReply, type PlayedRequest, PlaySandbox } from './sandbox.ts';

/** The sandbox's response to an exchange. */
export interface Ours {
  /** Why the sandbox rejected the request; undefined if it was successful. */
  readonly kind: ProblemKind | undefined;
  readonly status: number;
  readonly value: unknown;
  readonly headers: Readonly<Record<string, string>>;
  /** The content of a rejection, without the form that a template gives it. */
  readonly rejection:
    | { readonly message: string; readonly code: string; readonly errors: readonly Violation[] | undefined }
    | undefined;
  /** The result without the form that a template gives it, and the values of a template. */
  readonly result: { readonly body: unknown; readonly values: TemplateValues } | undefined;
}

/** An exchange of the traffic beside the sandbox's response to it. */
export interface Case {
  readonly mapped: MappedExchange;
  readonly key: KeyTry;
  readonly ours: Ours;
  /** What the document does not allow in a body that the real API finds valid, unknown fields included. */
  readonly mistakes: readonly Violation[];
  /** The states of the named records before the request, by id. */
  readonly before: ReadonlyMap<string, Json>;
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
  const { errors, operations: overrides } = applied.profile;
  const beganMs = mapped.find(({ exchange }) => exchange.atMs !== undefined)?.exchange.atMs ?? 0;
  const sandbox = new PlaySandbox(applied, contract, beganMs);
  const keyOf = createKeyTries(mapped, errors);
  const assumptionsOf = createAssumptions(mapped);
  const cases: Case[] = [];
  const assumed: AssumedRecord[] = [];

  /** Stores the records that must exist, before an operation that looks at them. */
  function assume(one: MappedExchange): void {
    if (!isSync(one.operation, overrides[one.operation]?.mode)) return;
    for (const record of assumptionsOf(one)) {
      if (sandbox.find(record.project, record.collection, record.id)) continue;
      sandbox.put(record.project, record.collection, record.id, toStored(record));
      assumed.push(record);
    }
  }

  async function playOne(one: MappedExchange, atMs: number): Promise<Case> {
    assume(one);
    const key = keyOf(one);
    const before = findRecords(sandbox, one);
    const request = toPlayedRequest(one, contract, { key, body: toBody(one.exchange, errors.invalid) });
    const played = await sandbox.send({ ...request, atMs });
    const ours = toOurs(played);
    const isDoubtful = isValidBody(one.exchange, applied) && (played.warnings.length > 0 || isNoticed(ours));
    return {
      mapped: one,
      key,
      ours,
      mistakes: isDoubtful ? findMistakes(one, request, applied, contract) : [],
      before,
    };
  }

  let atMs = beganMs - defaultGapMs;
  try {
    for (const one of mapped) {
      atMs = one.exchange.atMs ?? atMs + defaultGapMs;
      const played = await playOne(one, atMs);
      if (isEnough(played)) return undefined;
      cases.push(played);
    }
  } finally {
    sandbox.dispose();
  }
  return { cases, assumed };
}

function toOurs({ reply: { status, headers, body }, content }: PlayedReply): Ours {
  const base = { status, headers, value: parseJson(body ?? '') };
  if (!content) return { ...base, kind: undefined, rejection: undefined, result: undefined };
  if (!('problem' in content)) return { ...base, kind: undefined, rejection: undefined, result: content };
  const { kind, message, errors } = content.problem;
  return { ...base, kind, rejection: { message, code: content.code, errors }, result: undefined };
}

/** Returns the body to send. A masked password of an invalid request is played as an invalid one. */
function toBody({ body, hasMaskedSecrets, response }: Exchange, invalid: number): string {
  const text = body?.text ?? '';
  const isInvalid = response.status === invalid || /password/i.test(response.body?.text ?? '');
  return hasMaskedSecrets && response.status >= 400 && isInvalid ? text.replaceAll('"Stand-in"', '"stand in"') : text;
}

/** Headers that the request keeps; the others describe its connection, or its own key. */
const keptHeaders = /^(content-type|x-(?!sandbox-|forwarded-|real-ip).*)$/;

/** Stands for an identifier that the traffic does not have. */
const noProject = 'unknown';

/** Converts an exchange to a request at the place where the profile has its operation. */
function toPlayedRequest(
  { exchange, operation, identifiers, isRouted }: MappedExchange,
  contract: Contract,
  { key, body }: { readonly key: KeyTry; readonly body: string },
): Omit<PlayedRequest, 'atMs'> {
  const routed = contract.operations.get(operation);
  const kept = Object.entries(exchange.headers).filter(([name]) => keptHeaders.test(name));
  const apikey = playedKeys[key];
  const headers = { host: 'localhost', ...Object.fromEntries(kept), ...(apikey !== undefined && { apikey }) };
  const project = identifiers['projectId'] ?? noProject;
  if (isRouted || !routed) return { project, method: exchange.method, url: toUrl(exchange), headers, body };
  const value: unknown = parseJson(body);
  const built = buildRequest(routed, identifiers, isObject(value) ? withoutIdentifiers(value, operation) : {});
  const text = isObject(value) ? JSON.stringify(built.body) : body;
  return { project, ...built, headers: { ...headers, ...built.headers }, body: text };
}

/** Returns a body without the identifiers that only the real API has in it. */
function withoutIdentifiers(body: Json, operation: MappedExchange['operation']): Json {
  const own: readonly string[] = shippedFacts.get(operation)?.fields ?? [];
  const isForeign = (name: string): boolean => identifierNames.some((one) => one === name) && !own.includes(name);
  return Object.fromEntries(Object.entries(body).filter(([name]) => !isForeign(name)));
}

/** Whether the real API finds a body valid: it is successful, or rejects it because of its records. */
function isValidBody({ response: { status } }: Exchange, { profile: { errors } }: AppliedProfile): boolean {
  return status < 300 || (status !== errors.invalid && [errors.duplicate, errors.downstream].includes(status));
}

/** Whether the sandbox rejects a request or one of its entries. */
function isNoticed({ kind, value }: Ours): boolean {
  return kind === 'invalid' || (failuresOf(value)?.length ?? 0) > 0;
}

/** Validates a body as a whole, so that the mistakes of entries have their keywords, too. */
function findMistakes(
  { exchange, operation, identifiers, isRouted }: MappedExchange,
  { body }: Pick<PlayedRequest, 'body'>,
  { profile }: AppliedProfile,
  contract: Contract,
): readonly Violation[] {
  const routed = contract.operations.get(operation);
  const value: unknown = isRouted ? exchange.body?.value : parseJson(body);
  if (!routed || value === undefined) return [];
  const shape = { params: { ...identifiers }, query: {}, body: value };
  const options = { list: undefined, strict: false, depth: profile.limits.depth };
  const { violations, warnings } = contract.validate(routed, shape, options);
  const isIgnored = (path: string): boolean => profile.nulls === 'ignore' && valueAt(value, path) === null;
  return [...violations, ...warnings.filter(({ keyword }) => keyword === 'additionalProperties')].filter(
    ({ path }) => (path === '' || path.startsWith('/')) && !isIgnored(path),
  );
}

/** Returns the value at a JSON Pointer. */
export function valueAt(value: unknown, pointer: string): unknown {
  const keys = pointer.split('/').slice(1);
  return keys.reduce<unknown>((at, key) => {
    const name = key.replace(/~1/g, '/').replace(/~0/g, '~');
    return typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? (at as Json)[name] : undefined;
  }, value);
}

/** Returns the stored records that a request names. */
function findRecords(sandbox: PlaySandbox, one: MappedExchange): ReadonlyMap<string, Json> {
  const { collection } = operations[one.operation];
  const project = one.identifiers['projectId'] ?? '';
  return new Map(
    namedIds(one).flatMap((id) => {
      const record = sandbox.find(project, collection, id);
      return record ? [[id, record] as const] : [];
    }),
  );
}

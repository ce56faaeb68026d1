/** Plays the mapped exchanges in their order, and pairs each with the sandbox's response. */
import type { AppliedProfile } from '../../../config/config-files.ts';
import type { Json } from '../../../lib/json.ts';
import type { ProblemKind, Violation } from '../../../lib/problem.ts';
import type { TemplateValues } from '../../../lib/template.ts';
import type { Contract } from '../../../openapi/contract.ts';
import { type OperationId, operations } from '../../../operations/index.ts';
import type { Snapshot } from '../../../records/snapshot.ts';
import { parseJson } from '../../output/text.ts';
import { type Exchange, isObject } from '../exchange.ts';
import type { MappedExchange } from '../mapping/endpoint.ts';
import { createKeyTries } from './key-try.ts';
import { type KeyTry, toPlayedRequest } from './render.ts';
import { createPlaySandbox, type PlayedReply, type PlaySandbox } from './sandbox.ts';

/** The sandbox's response to an exchange. */
export interface Ours {
  /** Why the sandbox rejected the request; undefined if it was successful. */
  readonly kind: ProblemKind | undefined;
  readonly status: number;
  readonly value: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
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
  /** The states of the named records before the request, by id. */
  readonly before: ReadonlyMap<string, Json>;
}

/** Time between requests of a traffic without times, in milliseconds. */
const defaultGapMs = 1000;

export interface PlayInput {
  readonly mapped: readonly MappedExchange[];
  readonly applied: AppliedProfile;
  readonly contract: Contract;
  readonly assumed: ReadonlyMap<string, Snapshot>;
}

export async function play({ mapped, applied, contract, assumed }: PlayInput): Promise<readonly Case[]> {
  const beganMs = mapped.find(({ exchange }) => exchange.atMs !== undefined)?.exchange.atMs ?? 0;
  const sandbox = createPlaySandbox({ applied, contract, beganMs, assumed });
  const keyOf = createKeyTries(mapped, applied.profile.errors);
  const cases: Case[] = [];
  let latestMs = beganMs - defaultGapMs;
  try {
    for (const one of mapped) {
      latestMs = one.exchange.atMs ?? latestMs + defaultGapMs;
      const key = keyOf(one);
      const before = findRecords(sandbox, one);
      const body = toBody(one.exchange, applied.profile.errors.invalid);
      const played = await sandbox.send(toPlayedRequest(one, latestMs, contract, { key, body }));
      cases.push({ mapped: one, key, ours: toOurs(played), before });
    }
  } finally {
    sandbox.dispose();
  }
  return cases;
}

function toOurs({ reply: { status, headers, body }, warnings, content }: PlayedReply): Ours {
  const base = { status, headers, warnings, value: parseJson(body ?? '') };
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

/** Returns the stored records that a request names. */
function findRecords(sandbox: PlaySandbox, { exchange, operation, identifiers }: MappedExchange): Map<string, Json> {
  const { collection } = operations[operation];
  const found = new Map<string, Json>();
  for (const id of namedIds(exchange, operation, identifiers.jobId ?? identifiers.orderId ?? identifiers.username)) {
    const record = sandbox.find(identifiers.projectId ?? '', collection, id);
    if (record) found.set(id, record);
  }
  return found;
}

/** Returns the ids of the records that a request creates or changes. */
export function namedIds({ body }: Exchange, operation: OperationId, inPath?: string): readonly string[] {
  if (inPath !== undefined) return [inPath];
  const { list, idField } = operations[operation];
  const value = body?.value;
  if (!isObject(value)) return [];
  const entries = list === undefined ? [value] : Array.isArray(value[list]) ? value[list] : [];
  return entries.flatMap((entry: unknown) => {
    const id = isObject(entry) ? entry[idField] : undefined;
    return typeof id === 'string' ? [id] : [];
  });
}

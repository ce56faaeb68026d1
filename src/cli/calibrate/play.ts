/** Plays the traffic in a sandbox, one exchange after another. */
import type { AppliedProfile } from '../../config/config-files.ts';
import { defaultKey } from '../../config/keys.ts';
import type { Json } from '../../lib/json.ts';
import type { ApiDocument } from '../../openapi/api-document.ts';
import { type Contract, createContract } from '../../openapi/contract.ts';
import type { Profile } from '../../openapi/profile/profile.ts';
import { operations } from '../../operations/index.ts';
import { nameEntries } from '../../operations/parse-command.ts';
import type { CollectionName } from '../../records/records.ts';
import { failuresOf, type MappedExchange } from './exchange.ts';
import { type AcceptedMistake, findAccepted } from './mistakes.ts';
import { foreignKey, type Ours, PlaySandbox } from './sandbox.ts';
import { toShape } from './shape.ts';
import { isCreation } from './shipped.ts';

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
  /** Number of exchanges with the same status and body shape. */
  readonly agreed: number;
}

/** Whether status and body shape are the same. */
export function isAgreed({ ours, mapped }: Case): boolean {
  const { status, body, isBodyUnknown } = mapped.exchange.response;
  return ours.status === status && (isBodyUnknown || toShape(ours.value) === toShape(body?.value));
}

/** Only requests are validated, so that profiles with other responses share the compiled validators. */
export function toContract({ document, profile }: AppliedProfile): Contract {
  const toRequests = (name: string, value: unknown): unknown => (name === 'responses' ? undefined : value);
  return createContract(JSON.parse(JSON.stringify(document, toRequests)) as ApiDocument, profile.limits.depth);
}

/** Time between requests of a traffic without times, in milliseconds. */
const defaultGapMs = 1000;

/** Plays all exchanges. Of more than `most` that differ, the others are not played. */
export async function play(mapped: readonly MappedExchange[], applied: AppliedProfile, most: number): Promise<Played> {
  const contract = toContract(applied);
  const beganMs = mapped.find(({ exchange }) => exchange.atMs !== undefined)?.exchange.atMs ?? 0;
  const sandbox = new PlaySandbox(applied, contract, beganMs);
  const chooseKey = createKeyChoice(mapped, applied.profile.errors);
  const assumptionsOf = createAssumptions(mapped, applied.profile);
  const cases: Case[] = [];
  const assumed: AssumedRecord[] = [];
  let agreed = 0;
  let atMs = beganMs - defaultGapMs;
  try {
    for (const one of mapped) {
      atMs = one.exchange.atMs ?? atMs + defaultGapMs;
      for (const assumption of assumptionsOf(one)) {
        const { project, collection, id, record } = assumption;
        if (sandbox.put(project, collection, id, record)) assumed.push(assumption);
      }
      const { method, url, body } = one.exchange;
      const ours = await sandbox.send({
        ...{ project: one.identifiers['projectId'] ?? 'unknown', atMs, method, url },
        headers: toPlayedHeaders(one, chooseKey(one)),
        body: body?.text ?? '',
      });
      const played = { mapped: one, ours, mistakes: findAccepted(one, applied, contract) };
      cases.push(played);
      agreed += isAgreed(played) ? 1 : 0;
      if (cases.length - agreed > most) break;
    }
  } finally {
    sandbox.dispose();
  }
  return { cases, assumed, agreed };
}

/** Headers that the request does not keep: they describe its connection, how its body was sent, and its own key. */
const ownHeaders =
  /^(apikey|connection|content-(?!type).*|expect|host|te|trailer|transfer-encoding|upgrade|x-(sandbox-|forwarded-|real-ip).*)$/;

function toPlayedHeaders({ exchange }: MappedExchange, apikey: string | undefined): Readonly<Record<string, string>> {
  const kept = Object.entries(exchange.headers).filter(([name]) => !ownHeaders.test(name));
  return { host: 'localhost', ...Object.fromEntries(kept), ...(apikey !== undefined && { apikey }) };
}

/** A record that must have existed before the traffic. */
export interface AssumedRecord {
  readonly project: string;
  readonly collection: CollectionName;
  readonly id: string;
  readonly record: Json;
}

/**
 * Returns a function that names the records whose existence explains a response: a change that succeeds, a creation
 * that does not. A record that the traffic creates did not exist before: something else explains the response.
 */
function createAssumptions(
  all: readonly MappedExchange[],
  { operations: overrides }: Pick<Profile, 'operations'>,
): (one: MappedExchange) => readonly AssumedRecord[] {
  const creations = all.filter(({ operation }) => isCreation(operation));
  const created = new Set(creations.flatMap((one) => listRecords(one, isAccepted).map(toKey)));
  return (one) => {
    // An asynchronous operation does not look at its records before it responds.
    if ((overrides[one.operation]?.mode ?? operations[one.operation].mode) === 'async') return [];
    const records = listRecords(one, isCreation(one.operation) ? isExisting : isAccepted);
    return records.filter((record) => !created.has(toKey(record)));
  };
}

/** Whether the real API accepts an entry; `reason`: why it fails. */
function isAccepted(status: number, reason: string | undefined): boolean {
  return status < 300 && reason === undefined;
}

/** Whether the real API rejects an entry because there is one of its id. */
function isExisting(status: number, reason = ''): boolean {
  return status === 409 || /exist|already|duplicate/i.test(reason);
}

/** Returns the records that a request creates or changes, as they may have been before. */
function listRecords(one: MappedExchange, isWanted: typeof isAccepted): readonly AssumedRecord[] {
  const { projectId: project, subProjectId } = one.identifiers;
  const { collection } = operations[one.operation];
  if (project === undefined || collection === 'devices') return [];
  const { status, body } = one.exchange.response;
  const reasons = new Map(failuresOf(body?.value)?.map(({ id, reason }) => [id, reason]));
  const { ids, jobs } = nameEntries(operations[one.operation], one.identifiers, one.exchange.body?.value);
  const wanted = ids.slice(0, jobs?.length).filter((id) => id !== '' && isWanted(status, reasons.get(id)));
  const others = { ...(subProjectId !== undefined && { subProjectId }), ...(collection === 'routes' && { jobs: [] }) };
  return wanted.map((id) => {
    const record = collection === 'users' ? { username: id, type: 'driver' } : { id, ...others };
    return { project, collection, id, record };
  });
}

function toKey({ project, collection, id }: AssumedRecord): string {
  return JSON.stringify([project, collection, id]);
}

const unknownKey = 'unknown-key';

/** Words of an error body about a key that is valid elsewhere, and about one that is not valid. */
const hints: readonly (readonly [RegExp, string])[] = [
  [/key[^"]{0,40}(another|other|different) (project|region|tenant)|not allowed for this project/i, foreignKey],
  [/key[^"]{0,30}(never issued|unknown|invalid|not valid|revoked)|(invalid|unknown|bad) (api)?[ -]?key/i, unknownKey],
];

/**
 * Returns the function that chooses the key of each request; undefined for none. A key that was never accepted is wrong.
 * A masked one, or one of another project, is if the status says so.
 */
function createKeyChoice(
  all: readonly MappedExchange[],
  errors: Readonly<Record<'unknownKey' | 'foreignKey', number>>,
): (one: MappedExchange) => string | undefined {
  const toScope = ({ exchange, identifiers }: MappedExchange): string => `${exchange.key} ${identifiers['projectId']}`;
  const hasKeys = all.some(({ exchange }) => exchange.key !== undefined);
  const successes = all.filter(({ exchange }) => exchange.response.status < 300);
  const accepted = new Set(successes.map(({ exchange }) => exchange.key));
  const acceptedIn = new Set(successes.map(toScope));
  const keyStatuses = [401, 403, errors.unknownKey, errors.foreignKey];
  const isWrong = (one: MappedExchange): boolean => {
    const { key, response } = one.exchange;
    const isNew = typeof key === 'number' && !accepted.has(key) && accepted.size > 0;
    const isIn = typeof key === 'number' && acceptedIn.has(toScope(one));
    return isNew || (!isIn && keyStatuses.includes(response.status));
  };
  return (one) => {
    const { key, response } = one.exchange;
    if (response.status < 400) return defaultKey;
    if (key === undefined && hasKeys) return undefined;
    if (!isWrong(one)) return defaultKey;
    const hint = hints.find(([pattern]) => pattern.test(response.body?.text.slice(0, 2000) ?? ''))?.[1];
    const isForeign = [403, errors.foreignKey].includes(response.status) && response.status !== errors.unknownKey;
    return hint ?? (isForeign || (typeof key === 'number' && accepted.has(key)) ? foreignKey : unknownKey);
  };
}

/** Plays traffic under a profile, and compares the sandbox's responses with the real ones. */
import type { AppliedProfile } from '../../config/config-files.ts';
import { isSecretName } from '../../lib/secret-name.ts';
import type { Contract } from '../../openapi/contract.ts';
import type { OperationId } from '../../operations/index.ts';
import { describeEndpoint } from './endpoint.ts';
import { compareFailures, type Failure, type MappedExchange, toExampleName, toPatternText } from './exchange.ts';
import type { Places } from './map.ts';
import { type AcceptedMistake, toMistakeKey } from './mistakes.ts';
import { type Case, type Played, play } from './play.ts';
import { compareShapes, toShape } from './shape.ts';

/** One difference of one exchange. Equal ones are counted together. */
export interface Finding {
  /** `*` for differences of all operations. */
  readonly operation: OperationId | '*';
  readonly kind:
    | 'path'
    | 'status'
    | 'error body'
    | 'result body'
    | 'unknown field'
    | 'enum value'
    | 'required field'
    | 'header';
  /** What the sandbox does. */
  readonly expected: string;
  /** What the real API did. */
  readonly seen: string;
  readonly example: string;
  /** The key of the profile, or the target in the document, that is about it. */
  readonly setting: string;
}

/** Returns a text that is equal for findings to count together. */
export function toFindingKey({ operation, kind, expected, seen }: Finding): string {
  return JSON.stringify([operation, kind, expected, seen]);
}

/** The traffic beside the sandbox's responses under one profile. */
export interface Evaluation extends Played {
  readonly applied: AppliedProfile;
  readonly findings: readonly Finding[];
}

/** Plays exchanges under a profile. Of more than `most` that differ, the others are not played. */
export async function evaluate(
  mapped: readonly MappedExchange[],
  applied: AppliedProfile,
  most: number = Number.POSITIVE_INFINITY,
): Promise<Evaluation> {
  const played = await play(mapped, applied, most);
  return { ...played, applied, findings: compareAll(played.cases) };
}

/** Returns a finding for each exchange whose operation the profile has elsewhere. */
export function comparePaths({ moved }: Places, contract: Contract): readonly Finding[] {
  return [...moved].flatMap(([operation, { endpoint, exchanges }]) => {
    const own = contract.operations.get(operation);
    const expected = own ? describeEndpoint({ ...own, places: own.identifiers?.places ?? {} }) : '';
    const texts = { expected, seen: describeEndpoint(endpoint), setting: `operations.${operation}` };
    return exchanges.map((exchange) => ({ operation, kind: 'path', ...texts, example: toExampleName(exchange) }));
  });
}

function compareAll(cases: readonly Case[]): readonly Finding[] {
  const headers = findConstantHeaders(cases);
  return cases.flatMap((one) => {
    const { operation, exchange } = one.mapped;
    const example = toExampleName(exchange);
    return [...compareCase(one), ...compareHeaders(one, headers)].map(([kind, expected, seen, setting]) => {
      return { operation: kind === 'header' ? '*' : operation, kind, expected, seen, example, setting };
    });
  });
}

/** Returns the key that sets the status of a response: of the result of an operation, or of a kind of error. */
export function toStatusKeys({ ours: { kind }, mapped }: Case): readonly string[] {
  return kind === undefined ? ['operations', mapped.operation, 'status'] : ['errors', kind];
}

type Difference = readonly [kind: Finding['kind'], expected: string, seen: string, setting: string];
type Differences = readonly Difference[];

function compareCase(one: Case): Differences {
  const unknown = one.mistakes.filter(({ keyword }) => keyword === 'additionalProperties').map(describeMistake);
  const others = one.mistakes.filter(({ keyword }) => keyword !== 'additionalProperties');
  const mistakes = others.map(describeMistake);
  if (one.ours.kind === 'invalid' && others.length > 0) return [...mistakes.slice(0, 1), ...unknown];
  const explained = new Set(others.flatMap(({ ids }) => ids));
  return [...compareStatus(one), ...mistakes, ...compareBodies(one, explained), ...unknown];
}

function compareStatus(one: Case): Differences {
  const { kind, status } = one.ours;
  const real = one.mapped.exchange.response.status;
  const expected = kind === undefined ? String(status) : `${status} (${kind})`;
  return status === real ? [] : [['status', expected, String(real), toStatusKeys(one).join('.')]];
}

/** `explained`: ids of entries whose rejection has a reason that is a difference of its own. */
function compareBodies({ ours, mapped }: Case, explained: ReadonlySet<string>): Differences {
  const { status, body, isBodyUnknown } = mapped.exchange.response;
  // Bodies of a success and of a rejection differ anyway.
  if (isBodyUnknown || ours.status < 300 !== status < 300) return [];
  const { onlyOurs, onlyReal } = compareFailures(ours.value, body?.value);
  const unexplained = onlyOurs.filter(({ id }) => !explained.has(id)).map(describeFailure);
  if (onlyOurs.length + onlyReal.length > 0)
    return [
      ...unexplained.map((failure): Difference => ['result body', failure, 'entry accepted', '']),
      ...onlyReal.map((failure): Difference => ['result body', 'entry accepted', describeFailure(failure), '']),
    ];
  const isError = status >= 400;
  const whole = { expected: toShape(ours.value), seen: toShape(body?.value) };
  const parts = isError ? [whole].filter((one) => one.expected !== one.seen) : compareShapes(ours.value, body?.value);
  const kind = isError ? 'error body' : 'result body';
  return parts.map(({ expected, seen }) => [kind, expected, seen, `bodies.${isError ? 'error' : mapped.operation}`]);
}

/** Describes a failed entry without its id, so that equal reasons are counted together. */
function describeFailure({ id, reason }: Failure): string {
  const pattern = new RegExp(`(?<![\\w-])${toPatternText(id)}(?![\\w-])`, 'g');
  return `entry failed: ${id === '' ? reason : reason.replace(pattern, 'ID')}`;
}

/** Maximum length of a value in a report. */
const maxLength = 80;

function describeMistake(mistake: AcceptedMistake): Difference {
  const { path, keyword, params = {}, value } = mistake;
  const setting = toMistakeKey(mistake);
  const place = path.replace(/\/\d+(?=\/|$)/g, '/*');
  if (keyword === 'required') return ['required field', `${place} is required`, 'accepted without', setting];
  if (keyword === 'additionalProperties') return ['unknown field', 'not in the document', place, setting];
  const expected = `${place}: ${keyword} ${Object.values(params).flat().join(', ')}`;
  const seen = JSON.stringify(value)?.slice(0, maxLength) ?? 'accepted';
  return [keyword === 'enum' || keyword === 'const' ? 'enum value' : 'status', expected, seen, setting];
}

/** Headers of connections, caches, proxies and of the sandbox itself, which a profile does not set. */
const otherHeaders =
  /^(age|alt-svc|cache-control|connection|content-.*|date|etag|expires|keep-alive|last-modified|location|nel|pragma|report-to|retry-after|server|set-cookie|strict-transport-security|transfer-encoding|trailer|upgrade|vary|via|warning|www-authenticate|x-request-id|x-sandbox-.*|x-amz.*|x-cache.*|cf-.*|x-envoy.*|x-forwarded.*|access-control-.*)$/;

/** Returns the headers that all responses of the real API have, each with one value. */
export function findConstantHeaders(cases: readonly Case[]): readonly (readonly [name: string, value: string])[] {
  const all = cases.map(({ mapped }) => mapped.exchange.response.headers);
  return Object.entries(all[0] ?? {}).filter(
    ([name, value]) =>
      !otherHeaders.test(name) && !isSecretName(name) && all.every((headers) => headers[name] === value),
  );
}

function compareHeaders({ ours }: Case, headers: ReturnType<typeof findConstantHeaders>): Differences {
  const different = headers.filter(([name, value]) => ours.headers[name] !== value);
  return different.map(([name, value]) => {
    const expected = ours.headers[name] === undefined ? `no header ${name}` : `${name}: ${ours.headers[name]}`;
    return ['header', expected, `${name}: ${value}`, `responseHeaders.${name}`];
  });
}

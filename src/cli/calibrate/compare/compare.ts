/** Compares the sandbox's responses with the real ones. */

import { isSecretName } from '../../../lib/secret-name.ts';
import type { Contract } from '../../../openapi/contract.ts';
import type { OperationId } from '../../../operations/index.ts';
import { toExampleName, toPatternText } from '../exchange.ts';
import { describeEndpoint } from '../mapping/endpoint.ts';
import type { Mapping } from '../mapping/map.ts';
import type { Case } from '../play/play.ts';
import { compareFailures, type Failure } from './entries.ts';
import { type AcceptedMistake, findAccepted, toMistakeKey } from './mistakes.ts';
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

/** Whether status and body shape are the same. */
export function isAgreed({ ours, mapped: { exchange, isRouted } }: Case): boolean {
  const { status, body, isBodyUnknown } = exchange.response;
  return isRouted && ours.status === status && (isBodyUnknown || toShape(ours.value) === toShape(body?.value));
}

export function compareAll(cases: readonly Case[], mapping: Mapping, contract: Contract): readonly Finding[] {
  const headers = findConstantHeaders(cases);
  return cases.flatMap((one) => [
    ...comparePaths(one, mapping, contract),
    ...compareCase(one),
    ...compareHeaders(one, headers),
  ]);
}

/** Returns the key that sets the status of a response: of the result of an operation, or of a kind of error. */
export function toStatusKeys({ ours: { kind }, mapped }: Case): readonly string[] {
  return kind === undefined ? ['operations', mapped.operation, 'status'] : ['errors', kind];
}

type Difference = readonly [kind: Finding['kind'], expected: string, seen: string, setting: string];

function toFindings({ mapped }: Case, differences: readonly Difference[]): readonly Finding[] {
  const example = toExampleName(mapped.exchange);
  return differences.map(([kind, expected, seen, setting]) => {
    const operation = kind === 'header' ? '*' : mapped.operation;
    return { operation, kind, expected, seen, example, setting };
  });
}

function comparePaths(one: Case, { moved }: Mapping, contract: Contract): readonly Finding[] {
  const { operation, isRouted } = one.mapped;
  const endpoint = moved.get(operation);
  const routed = contract.operations.get(operation);
  if (isRouted || !endpoint || !routed) return [];
  return toFindings(one, [['path', describeEndpoint(routed), describeEndpoint(endpoint), `operations.${operation}`]]);
}

function compareCase(one: Case): readonly Finding[] {
  const accepted = findAccepted(one);
  const unknown = accepted.filter(({ keyword }) => keyword === 'additionalProperties').map(describeMistake);
  const others = accepted.filter(({ keyword }) => keyword !== 'additionalProperties');
  if (one.ours.kind === 'invalid' && others.length > 0)
    return toFindings(one, [...others.slice(0, 1).map(describeMistake), ...unknown]);
  const explained = new Set(others.flatMap(({ ids }) => ids));
  const differences = [
    ...compareStatus(one),
    ...others.map(describeMistake),
    ...compareBodies(one, explained),
    ...unknown,
  ];
  return toFindings(one, differences);
}

function compareStatus(one: Case): readonly Difference[] {
  const { kind, status } = one.ours;
  const real = one.mapped.exchange.response.status;
  if (status === real) return [];
  const expected = kind === undefined ? String(status) : `${status} (${kind})`;
  return [['status', expected, String(real), toStatusKeys(one).join('.')]];
}

/** `explained`: ids of entries whose rejection has a reason that is a difference of its own. */
function compareBodies({ ours, mapped }: Case, explained: ReadonlySet<string>): readonly Difference[] {
  const { status, body, isBodyUnknown } = mapped.exchange.response;
  // Bodies of a success and of a rejection differ anyway.
  if (isBodyUnknown || ours.status < 300 !== status < 300) return [];
  const { onlyOurs, onlyReal } = compareFailures(ours.value, body?.value);
  if (onlyOurs.length + onlyReal.length > 0)
    return [
      ...onlyOurs
        .filter(({ id }) => !explained.has(id))
        .map((failure): Difference => ['result body', describeFailure(failure), 'entry accepted', '']),
      ...onlyReal.map((failure): Difference => ['result body', 'entry accepted', describeFailure(failure), '']),
    ];
  if (status < 400)
    return compareShapes(ours.value, body?.value).map(({ expected, seen }) => [
      ...(['result body', expected, seen, `bodies.${mapped.operation}`] as const),
    ]);
  const [expected, seen] = [toShape(ours.value), toShape(body?.value)];
  return expected === seen ? [] : [['error body', expected, seen, 'bodies.error']];
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

function compareHeaders(one: Case, headers: ReturnType<typeof findConstantHeaders>): readonly Finding[] {
  const different = headers.filter(([name, value]) => one.ours.headers[name] !== value);
  const differences = different.map(([name, value]): Difference => {
    const own = one.ours.headers[name];
    const expected = own === undefined ? `no header ${name}` : `${name}: ${own}`;
    return ['header', expected, `${name}: ${value}`, `responseHeaders.${name}`];
  });
  return toFindings(one, differences);
}

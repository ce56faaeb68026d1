/** Proposes what the responses show: paths, statuses, headers, and the bodies of errors and messages. */

import { STATUS_CODES } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { groupBy } from '../../lib/group-by.ts';
import { isObject } from '../../lib/json.ts';
import type { Profile } from '../../openapi/profile/profile.ts';
import { hasMessage, operations } from '../../operations/index.ts';
import type { Evaluation } from './compare.ts';
import { findConstantHeaders, toStatusKeys } from './compare.ts';
import { findMajority } from './exchange.ts';
import type { Places } from './map.ts';
import type { Case } from './play.ts';
import { toShape } from './shape.ts';
import { pathWords, shippedFacts } from './shipped.ts';
import { inferTemplate, type Sample } from './template.ts';

/** An action of an OpenAPI Overlay 1.0. */
export interface OverlayAction {
  readonly target: string;
  readonly update?: unknown;
  readonly remove?: true;
}

/** A value of the profile, by its keys. */
export interface ProfileSetting {
  readonly keys: readonly string[];
  readonly value: unknown;
}

export interface Proposal {
  /** The setting of the findings that it is about. Another proposal with the same one replaces it. */
  readonly setting: string;
  /** Short text for the report: the key with its value, or the overlay's action. */
  readonly text: string;
  readonly change: ProfileSetting | OverlayAction;
}

/** Proposes a value of the profile. */
export function propose(keys: readonly string[], value: unknown, setting: string = keys.join('.')): Proposal {
  return { setting, text: `${keys.join('.')}: ${JSON.stringify(value)}`, change: { keys, value } };
}

export function toSettings(proposals: readonly Proposal[]): readonly ProfileSetting[] {
  return proposals.flatMap(({ change }) => ('keys' in change ? [change] : []));
}

export function toActions(proposals: readonly Proposal[]): readonly OverlayAction[] {
  return proposals.flatMap(({ change }) => ('keys' in change ? [] : [change]));
}

export function proposePaths(found: Places, profile: Profile): readonly Proposal[] {
  const { moved } = found;
  if (moved.size === 0) return [];
  const basePath = chooseBasePath(found, profile);
  const overrides = [...moved].flatMap(([operation, { endpoint }]) => {
    const { method, path, places: identifiers } = endpoint;
    const shipped = shippedFacts(operation);
    // An identifier that leaves the path takes its segment along.
    const kept = shipped.path.split('/').filter((segment) => !(segment.slice(1, -1) in identifiers));
    const own = path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
    const values = { method, path: own, identifiers };
    const defaults = { method: shipped.method, path: kept.join('/'), identifiers: {} };
    return (['method', 'path', 'identifiers'] as const)
      .filter((name) => !isDeepStrictEqual(values[name], defaults[name]))
      .map((name) => propose(['operations', operation, name], values[name]));
  });
  return basePath === profile.basePath ? overrides : [propose(['basePath'], basePath), ...overrides];
}

/** Returns the longest prefix of fixed segments that all endpoints have, without the words of the shipped paths. */
function chooseBasePath({ routed, moved }: Places, profile: Profile): string {
  if (routed.size > 0) return profile.basePath;
  const prefixes = [...moved.values()].map(({ endpoint: { path } }) => {
    const segments = path.split('/');
    const end = segments.findIndex((segment) => segment.startsWith('{') || pathWords.has(segment));
    return segments.slice(0, end < 0 ? -1 : end);
  });
  const [first = []] = prefixes;
  const differs = first.findIndex((segment, index) => prefixes.some((prefix) => prefix[index] !== segment));
  return first.slice(0, differs < 0 ? first.length : differs).join('/');
}

export function proposeStatuses({ cases, applied }: Evaluation): readonly Proposal[] {
  const alike = cases.filter(({ ours: { kind }, mapped: { exchange } }) =>
    kind === undefined
      ? exchange.response.status < 300
      : kind in applied.profile.errors && exchange.response.status >= 400,
  );
  return [...groupBy(alike, (one) => toStatusKeys(one).join('.')).values()].flatMap((group) => {
    const [first] = group;
    const majority = findMajority(group.map(({ mapped }) => mapped.exchange.response.status));
    if (!first || !majority || majority.count <= group.length / 2 || majority.value === first.ours.status) return [];
    return [propose(toStatusKeys(first), majority.value)];
  });
}

export function proposeHeaders({ cases, applied }: Evaluation): readonly Proposal[] {
  const missing = findConstantHeaders(cases).filter(([name, value]) => applied.profile.responseHeaders[name] !== value);
  return missing.map(([name, value]) => propose(['responseHeaders', name], value));
}

export function proposeBodies({ cases, applied }: Evaluation): readonly Proposal[] {
  const known = cases.filter(({ mapped }) => !mapped.exchange.response.isBodyUnknown);
  const errors = known.filter(({ ours, mapped }) => ours.kind !== undefined && mapped.exchange.response.status >= 400);
  const messages = known.filter(
    ({ ours, mapped: { exchange, operation } }) =>
      ours.kind === undefined && exchange.response.status < 300 && hasMessage(operations[operation]),
  );
  const groups = [['error', errors] as const, ...groupBy(messages, ({ mapped }) => mapped.operation)];
  return groups.flatMap(([name, group]) => {
    if (!group.some(isDifferent)) return [];
    const template = name === 'error' && isProblem(group) ? 'problem' : inferTemplate(group.map(toSample));
    const shipped = { message: '{message}', ...(name === 'error' && { code: '{code}', errors: '{errors}' }) };
    const isPresent = isDeepStrictEqual(template, applied.profile.bodies[name] ?? shipped);
    return template === undefined || isPresent ? [] : [propose(['bodies', name], template)];
  });
}

function isDifferent({ ours, mapped }: Case): boolean {
  return toShape(ours.value) !== toShape(mapped.exchange.response.body?.value);
}

/** Whether errors have the form of RFC 9457, with the fields that the sandbox gives them. */
function isProblem(cases: readonly Case[]): boolean {
  const bodies = cases.map(({ mapped }) => mapped.exchange.response.body?.value);
  const names = findMajority(bodies.map((body) => (isObject(body) ? Object.keys(body).toSorted().join() : '')));
  return /^code,detail,(errors,)?status,title,type$/.test(names?.value ?? '');
}

function toSample({ ours, mapped: { exchange, operation, identifiers } }: Case): Sample {
  const { response, method, path } = exchange;
  const errors = ours.errors.length > 0 ? ours.errors : undefined;
  const ofErrors = { status: response.status, title: STATUS_CODES[response.status] ?? '', errors, method, path };
  const ofRequest = { requestId: response.headers['x-request-id'], operation, projectId: identifiers['projectId'] };
  return {
    body: response.body?.value,
    values: { ...ours.values, ...(ours.kind && ofErrors), ...ofRequest, timestamp: undefined },
    items: ours.errors.map((error) => ({ 'error.path': error.path, 'error.message': error.message })),
  };
}

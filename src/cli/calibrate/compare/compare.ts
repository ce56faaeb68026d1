/** Compares the real API's response to an exchange with the sandbox's. */
import type { Json } from '../../../lib/json.ts';
import { isObject, toExampleName } from '../exchange.ts';
import type { Case } from '../play/play.ts';
import type { DifferenceKind, Finding } from './difference.ts';
import { compareEntries } from './entries.ts';
import { readRejection } from './rejection.ts';
import { compareShapes, toShape } from './shape.ts';

/** Whether status and body shape are the same. */
export function isAgreed({ ours, mapped: { exchange, isRouted } }: Case): boolean {
  const { status, body, isBodyUnknown } = exchange.response;
  return isRouted && ours.status === status && (isBodyUnknown || toShape(ours.value) === toShape(body?.value));
}

/** Returns all differences of an exchange, other than its path. */
export function compareCase(one: Case): readonly Finding[] {
  return [...compareStatus(one), ...compareBodies(one), ...compareFields(one)];
}

function toFinding({ mapped }: Case, kind: DifferenceKind, expected: string, seen: string): Finding {
  return { operation: mapped.operation, kind, expected, seen, example: toExampleName(mapped.exchange) };
}

/** What the sandbox answers: the status, and for a rejection its kind. */
function describeOurs({ ours: { kind, status } }: Case): string {
  return kind === undefined ? String(status) : `${status} (${kind})`;
}

function compareStatus(one: Case): readonly Finding[] {
  const { ours, mapped } = one;
  const { status } = mapped.exchange.response;
  if (ours.status === status) return [];
  if (ours.kind === 'invalid' && status < 300) {
    const [first] = readRejection(ours.rejection);
    if (first) return [toFinding(one, first.kind, first.expected, first.seen)];
  }
  return [toFinding(one, 'status', describeOurs(one), String(status))];
}

function compareBodies(one: Case): readonly Finding[] {
  const { ours, mapped } = one;
  const { status, body, isBodyUnknown } = mapped.exchange.response;
  // Bodies of a success and of a rejection differ anyway.
  if (isBodyUnknown || ours.status < 300 !== status < 300) return [];
  const entries = compareEntries(ours.value, body?.value).map(({ id, ours: reason, real }) => {
    if (reason === undefined) return toFinding(one, 'result body', `entry ${id} accepted`, `entry failed: ${real}`);
    const [rejected] = readRejection({ message: reason });
    return rejected && rejected.kind !== 'result body'
      ? toFinding(one, rejected.kind, rejected.expected, rejected.seen)
      : toFinding(one, 'result body', `entry failed: ${reason.replaceAll(id, 'ID')}`, 'entry accepted');
  });
  if (entries.length > 0) return entries;
  if (status >= 400) {
    const [expected, seen] = [toShape(ours.value), toShape(body?.value)];
    return expected === seen ? [] : [toFinding(one, 'error body', expected, seen)];
  }
  const missing = isObject(ours.value) && isObject(body?.value) ? missingFields(ours.value, body.value) : [];
  if (missing.length > 0) return [toFinding(one, 'missing field', missing.join(', '), 'not in the result')];
  const parts = compareShapes(ours.value, body?.value);
  return parts.map(({ expected, seen }) => toFinding(one, 'result body', expected, seen));
}

function missingFields(ours: Json, real: Json): readonly string[] {
  return Object.keys(ours).filter((name) => !(name in real));
}

const unknownField = /^(\S*)\/([^/\s]+): unknown field/;

/** Fields of the request that the document does not have, although the real API accepts the request. */
function compareFields(one: Case): readonly Finding[] {
  if (one.mapped.exchange.response.status >= 300) return [];
  return one.ours.warnings.flatMap((warning) => {
    const [, parent = '', name] = unknownField.exec(warning) ?? [];
    if (name === undefined) return [];
    return [
      toFinding(one, 'unknown field', 'not in the document', `${parent.replace(/\/\d+(?=\/|$)/g, '/*')}/${name}`),
    ];
  });
}

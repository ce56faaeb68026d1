/** Compares the sandbox's response with the real one. */
import type { Json } from '../../../lib/json.ts';
import { isObject, toExampleName } from '../exchange.ts';
import type { Case } from '../play/play.ts';
import type { DifferenceKind, Finding } from './difference.ts';
import { compareFailures, type Failure } from './entries.ts';
import { findAccepted } from './mistakes.ts';
import { compareShapes, toShape } from './shape.ts';

/** Whether status and body shape are the same. */
export function isAgreed({ ours, mapped: { exchange, isRouted } }: Case): boolean {
  const { status, body, isBodyUnknown } = exchange.response;
  return isRouted && ours.status === status && (isBodyUnknown || toShape(ours.value) === toShape(body?.value));
}

/** Returns all differences of an exchange, other than its path. */
export function compareCase(one: Case): readonly Finding[] {
  const accepted = findAccepted(one);
  const unknown = accepted.filter(({ kind }) => kind === 'unknown field');
  const others = accepted.filter(({ kind }) => kind !== 'unknown field');
  const toFindings = (mistakes: typeof accepted): readonly Finding[] =>
    mistakes.map(({ kind, expected, seen }) => toFinding(one, kind, expected, seen));
  if (one.ours.kind === 'invalid' && others.length > 0) return toFindings([...others.slice(0, 1), ...unknown]);
  const explained = new Set(others.flatMap(({ ids }) => ids));
  return [...compareStatus(one), ...toFindings(others), ...compareBodies(one, explained), ...toFindings(unknown)];
}

function toFinding({ mapped }: Case, kind: DifferenceKind, expected: string, seen: string): Finding {
  return { operation: mapped.operation, kind, expected, seen, example: toExampleName(mapped.exchange) };
}

function compareStatus(one: Case): readonly Finding[] {
  const { kind, status } = one.ours;
  const real = one.mapped.exchange.response.status;
  if (status === real) return [];
  return [toFinding(one, 'status', kind === undefined ? String(status) : `${status} (${kind})`, String(real))];
}

/** `explained`: ids of entries whose rejection has a reason that is a difference of its own. */
function compareBodies(one: Case, explained: ReadonlySet<string>): readonly Finding[] {
  const { ours, mapped } = one;
  const { status, body, isBodyUnknown } = mapped.exchange.response;
  // Bodies of a success and of a rejection differ anyway.
  if (isBodyUnknown || ours.status < 300 !== status < 300) return [];
  const { onlyOurs, onlyReal } = compareFailures(ours.value, body?.value);
  if (onlyOurs.length + onlyReal.length > 0)
    return [
      ...onlyOurs
        .filter(({ id }) => !explained.has(id))
        .map((failure) => toFinding(one, 'result body', describeFailure(failure), 'entry accepted')),
      ...onlyReal.map((failure) => toFinding(one, 'result body', 'entry accepted', describeFailure(failure))),
    ];
  if (status >= 400) {
    const [expected, seen] = [toShape(ours.value), toShape(body?.value)];
    return expected === seen ? [] : [toFinding(one, 'error body', expected, seen)];
  }
  const missing = isObject(ours.value) && isObject(body?.value) ? missingFields(ours.value, body.value) : [];
  if (missing.length > 0) return [toFinding(one, 'missing field', missing.join(', '), 'not in the result')];
  const parts = compareShapes(ours.value, body?.value);
  return parts.map(({ expected, seen }) => toFinding(one, 'result body', expected, seen));
}

/** Describes a failed entry without its id, so that equal reasons are counted together. */
function describeFailure({ id, reason }: Failure): string {
  const pattern = id.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return `entry failed: ${id === '' ? reason : reason.replace(new RegExp(`(?<![\\w-])${pattern}(?![\\w-])`, 'g'), 'ID')}`;
}

function missingFields(ours: Json, real: Json): readonly string[] {
  return Object.keys(ours).filter((name) => !(name in real));
}

/** Proposes the bodies of errors and of results that are messages: templates with placeholders. */
import { STATUS_CODES } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { hasMessage, operations } from '../../../operations/index.ts';
import { toShape } from '../compare/shape.ts';
import type { Evaluation } from '../evaluate.ts';
import { findMajority, groupBy, isObject } from '../exchange.ts';
import type { Case } from '../play/play.ts';
import { type Proposal, propose } from './proposal.ts';
import { inferTemplate, type Sample } from './template.ts';

export function proposeBodies({ cases, applied }: Evaluation): readonly Proposal[] {
  const compared = cases.filter(
    ({
      ours: { kind },
      mapped: {
        exchange: { response },
      },
    }) => (response.isBodyUnknown ? false : kind === undefined ? response.status < 300 : response.status >= 400),
  );
  const errors = compared.filter(({ ours }) => ours.kind !== undefined);
  const messages = compared.filter(
    ({ ours, mapped }) => ours.kind === undefined && hasMessage(operations[mapped.operation]),
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
